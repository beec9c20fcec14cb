/** Metrics of the Ethereum nodes: duration of each answer, and state of each node. */
import type { Histogram, Meter } from '@opentelemetry/api';
import type { Failover } from './failover.ts';

/** Seconds. A local node answers within a millisecond, a hosted one within a second. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The instrument of `observeNode`. */
export function nodeDuration(meter: Meter): Histogram {
  return meter.createHistogram('rpc.client.call.duration', {
    unit: 's',
    description: 'Requests to an Ethereum node, of one call or of many',
    advice: { explicitBucketBoundaries: BUCKETS },
  });
}

/** Reports the state of each node of a pool. @param network the name of the pool's network */
export function reportHealth(health: Failover['health'], network: string, meter: Meter): void {
  const available = meter.createObservableGauge('hindsight.node.available', {
    description:
      '1 while a node gets requests; 0 while it fails, is on another chain or has asked for a pause',
  });
  const lag = meter.createObservableGauge('hindsight.node.lag', {
    unit: '{block}',
    description: 'Blocks that a node was behind the best of the pool when it last reported its head',
  });
  const carrier = meter.createObservableGauge('hindsight.node.carrier', {
    description: '1, by the name of the carrier by which programs reach a node; no value while it has none',
  });
  const finalizedAge = meter.createObservableGauge('hindsight.node.finalized_age', {
    unit: '{block}',
    description: 'Blocks that the finalized block of a node is behind its head',
  });
  const finalityBelieved = meter.createObservableGauge('hindsight.node.finality_believed', {
    description:
      '1 while the finalized block of a node is believed; 0 while it is older than the network’s rule allows',
  });
  meter.addBatchObservableCallback(
    (result) => {
      for (const node of health()) {
        const of = { 'server.address': node.label, 'hindsight.network': network };
        result.observe(available, ['untried', 'ok', 'lagging'].includes(node.state) ? 1 : 0, of);
        if (node.lag !== undefined) result.observe(lag, node.lag, of);
        if (node.finality) {
          result.observe(finalizedAge, node.finality.age, of);
          result.observe(finalityBelieved, node.finality.believed ? 1 : 0, of);
        }
        if (node.carriage) result.observe(carrier, 1, { ...of, carrier: node.carriage.carrier });
      }
    },
    [available, lag, carrier, finalizedAge, finalityBelieved],
  );
}
