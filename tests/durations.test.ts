import { afterEach, expect, it } from '@jest/globals';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import SlowFirst, { WAITING } from './sequencer.ts';

const ROOT = resolve(import.meta.dirname, '..');
const COMPOSE = { path: resolve(ROOT, 'tests/deploy/compose.servers.test.ts') };
const PORTAL = { path: resolve(ROOT, 'tests/browser/portal.test.ts') };
const QUICK = { path: resolve(ROOT, 'tests/durations.test.ts') };
const SLOW_ON_SERVERS = [
  'bus/test/kafka',
  'usage/test/counters/redis',
  'bus/test/kafka-standstill',
  'stores/test/mongodb',
].map((suite) => ({ path: resolve(ROOT, `shared/${suite}.servers.test.ts`) }));
const SLOW_WITHOUT = ['truth/kinds', 'tokens/sqlite', 'clients/package', 'truth/anvil'].map((suite) => ({
  path: resolve(ROOT, `tests/${suite}.test.ts`),
}));

const SLOW_WAITING = ['any-nodes.property', 'hostile-node', 'lagging-nodes', 'node-faults'].map((suite) => ({
  path: resolve(ROOT, `services/balance/test/${suite}.test.ts`),
}));

const before = process.env.SUITES_ON_SERVERS;
afterEach(() => {
  if (before === undefined) delete process.env.SUITES_ON_SERVERS;
  else process.env.SUITES_ON_SERVERS = before;
});

it('the order of the suites names only suites that exist', () => {
  const durations = JSON.parse(readFileSync(resolve(ROOT, 'tests/durations.json'), 'utf8')) as object;
  const named = [...Object.keys(durations), ...WAITING];
  expect(named.filter((suite) => !existsSync(resolve(ROOT, suite)))).toEqual([]);
});

it('slow suites come first, and those on servers later while servers are installed', () => {
  const sorted = () => new SlowFirst().sort([QUICK, PORTAL, COMPOSE]);
  delete process.env.SUITES_ON_SERVERS;
  expect(sorted()).toEqual([COMPOSE, PORTAL, QUICK]);
  process.env.SUITES_ON_SERVERS = 'last';
  expect(sorted()).toEqual([PORTAL, COMPOSE, QUICK]);
});

it.each([
  ['on servers', SLOW_ON_SERVERS],
  ['that wait for what hangs or lags', SLOW_WAITING],
])('suites %s are spread among the others', (_, waiting) => {
  delete process.env.SUITES_ON_SERVERS;
  const sorted = new SlowFirst().sort([...waiting, ...SLOW_WITHOUT]);
  const kinds = sorted.map((suite) => Number(waiting.includes(suite)));
  expect(kinds.slice(0, 4).toSorted()).toEqual([0, 0, 1, 1]);
  expect(kinds.slice(-4).toSorted()).toEqual([0, 0, 1, 1]);
});

it('no suite that waits is among the last, which would leave the processor idle', () => {
  delete process.env.SUITES_ON_SERVERS;
  const all = globSync('{services,shared,tests}/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules'] });
  const sorted = new SlowFirst().sort(all.map((suite) => ({ path: resolve(ROOT, suite) })));
  const last = sorted.slice(-20).map(({ path }) => relative(ROOT, path));
  expect(last.filter((suite) => WAITING.includes(suite) || suite.endsWith('.servers.test.ts'))).toEqual([]);
});
