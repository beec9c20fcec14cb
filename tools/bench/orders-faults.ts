/** The fault runs of tests/faults in full size: 10,000 orders a fault at 200 a second. */
import {
  FAULTS,
  runFault,
  tableOf,
  warmUp,
  type FaultReport,
} from '../../tests/support/orders/fault-runs.ts';
import { makeManyOrders } from '../../tests/support/orders/signed-orders.ts';
import { watchTopic } from '../../tests/support/orders/topic-watch.ts';
import { startTopology } from '../../tests/support/orders/topology.ts';

const ORDERS = 10_000;
const PER_SECOND = 200;

/** Runs all faults, or those named. */
export async function run(): Promise<void> {
  const names = process.argv.slice(3);
  const system = await startTopology();
  const watch = await watchTopic([system.kafka.brokers], 'fault-runs');
  const reports: FaultReport[] = [];
  try {
    await warmUp(system);
    for (const [at, fault] of FAULTS.entries()) {
      if (names.length > 0 && !names.includes(fault.name)) continue;
      const [series, perSecond] = [at + 1, PER_SECOND];
      const orders = await makeManyOrders(ORDERS, series);
      reports.push(await runFault(fault, system, watch, { orders, perSecond, series }));
      console.log(`${tableOf(reports)}\n`);
    }
  } finally {
    await watch.close();
    await system.stop();
  }
}
