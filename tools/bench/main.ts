/** `npm run bench NAME` runs one benchmark; `npm run bench` runs all that compare, and writes results/. */
import { disablePretenuring } from '@hindsight/kernel/pretenuring.ts';
import { Results } from './results.ts';

type Benchmark = () => Promise<{ run: (results: Results) => Promise<void> }>;

/** Those that compare with a baseline in rounds that take turns. */
const COMPARED: Readonly<Record<string, Benchmark>> = {
  gateway: () => import('./gateway.ts'),
  workers: () => import('./workers.ts'),
  balance: () => import('./balance.ts'),
  snapshot: () => import('./snapshot.ts'),
  usage: () => import('./usage.ts'),
};
/** Those that take longer, or look at something else. */
const OTHERS: Readonly<Record<string, Benchmark>> = {
  attacks: () => import('./attacks.ts'),
  'balance-memory': () => import('./balance-memory.ts'),
  bus: () => import('./bus.ts'),
  fork: () => import('./fork.ts'),
  'gateway-memory': () => import('./gateway-memory.ts'),
  growth: () => import('./growth.ts'),
  holders: () => import('./holders.ts'),
  hostile: () => import('./hostile.ts'),
  metering: () => import('./metering.ts'),
  networks: () => import('./networks.ts'),
  orders: () => import('./orders.ts'),
  'orders-followers': () => import('./orders-followers.ts'),
  'orders-indexes': () => import('./orders-indexes.ts'),
  'orders-resumed': () => import('./orders-resumed.ts'),
  'orders-faults': () => import('./orders-faults.ts'),
  portal: () => import('./portal.ts'),
  proofs: () => import('./proofs.ts'),
  series: () => import('./series.ts'),
  telemetry: () => import('./telemetry.ts'),
  soak: () => import('./soak.ts'),
  start: () => import('./start.ts'),
  tokens: () => import('./tokens.ts'),
  verify: () => import('./verify.ts'),
};

// The load comes from this process: where V8 slows it down, every contestant looks slow.
disablePretenuring();
const results = new Results({ anyway: process.env.BENCH_ANYWAY === '1' });
const [name] = process.argv.slice(2);
const benchmarks = { ...COMPARED, ...OTHERS };
if (name === undefined) {
  for (const [each, benchmark] of Object.entries(COMPARED)) {
    console.log(`\n# ${each}`);
    await (await benchmark()).run(results);
  }
  console.log(`\nwritten: ${results.write(new Date()).join(', ')}`);
} else if (benchmarks[name] === undefined) {
  console.log(`npm run bench [NAME], where NAME is one of: ${Object.keys(benchmarks).join(', ')}`);
  process.exitCode = 2;
} else {
  await (await benchmarks[name]()).run(results);
}
