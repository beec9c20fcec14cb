/** `npm run bench [NAME]`: runs one benchmark, or lists them. */

const BENCHMARKS: Readonly<Record<string, () => Promise<{ run: () => Promise<void> }>>> = {
  balance: () => import('./balance.ts'),
  'balance-memory': () => import('./balance-memory.ts'),
  bus: () => import('./bus.ts'),
  gateway: () => import('./gateway.ts'),
  'gateway-memory': () => import('./gateway-memory.ts'),
  metering: () => import('./metering.ts'),
  orders: () => import('./orders.ts'),
  'orders-faults': () => import('./orders-faults.ts'),
  portal: () => import('./portal.ts'),
  series: () => import('./series.ts'),
  tokens: () => import('./tokens.ts'),
};

const [name = ''] = process.argv.slice(2);
const benchmark = BENCHMARKS[name];
if (benchmark === undefined) {
  console.log(`npm run bench NAME, where NAME is one of: ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exitCode = name === '' ? 0 : 2;
} else {
  const { run } = await benchmark();
  await run();
}
