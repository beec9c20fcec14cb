/** The fault runs of tests/faults in full size: 10,000 orders a fault at 200 a second. */
import { FAULTS, runFault, tableOf, type FaultReport } from '../tests/support/orders/fault-runs.ts';
import { watchTopic } from '../tests/support/orders/topic-watch.ts';
import { startTopology } from '../tests/support/orders/topology.ts';

const ORDERS = 10_000;
const PER_SECOND = 200;

/** Runs all of them, or those whose names contain the word that is given. */
export async function run(): Promise<void> {
  const word = process.argv[3] ?? '';
  const system = await startTopology();
  const watch = await watchTopic([system.kafka.brokers], 'fault-runs');
  const reports: FaultReport[] = [];
  try {
    for (const [at, fault] of FAULTS.entries()) {
      if (!fault.name.includes(word)) continue;
      reports.push(
        await runFault(fault, system, watch, { orders: ORDERS, perSecond: PER_SECOND, series: at + 1 }),
      );
      console.log(`${tableOf(reports)}\n`);
    }
  } finally {
    await watch.close();
    await system.stop();
  }
}
