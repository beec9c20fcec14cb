/**
 * Slow suites first, so that no worker is left alone with one at the end, and those that mostly wait, as all do that need a
 * server, evenly among the others: they leave the processor to them. With `SUITES_ON_SERVERS=last`, slow ones of the others come
 * first of all, while servers are installed. jest orders by what its cache says of the last run; a fresh clone has none, and
 * a file's size says little: some of the slowest suites only name a contract.
 */
import { readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';

interface Suite {
  readonly path: string;
}

interface Weighed {
  readonly suite: Suite;
  /** Its seconds in a whole run; 0 for a quick one. */
  readonly seconds: number;
  /** Those seconds, adjusted. The most urgent comes first. */
  readonly urgency: number;
  /** The larger first, where nothing else is known. */
  readonly size: number;
  /** It needs a server, mostly waits, or neither. */
  readonly kind: 'server' | 'wait' | 'work';
}

const ROOT = resolve(import.meta.dirname, '..');
/** The seconds that the slowest suites took in a whole run; `npm run build:durations` makes the file. */
const DURATIONS = JSON.parse(readFileSync(resolve(ROOT, 'tests/durations.json'), 'utf8')) as Readonly<
  Record<string, number>
>;
/** Those of a suite that has none there. */
const QUICK_SECONDS = 2;
/** The share of a run over which suites that wait are spread: the last of them would leave the processor idle. */
const WAITING_SHARE = 0.95;
/** The least urgency, in seconds, of a suite that runs while servers are installed. */
const MEANWHILE_SECONDS = 20;
const ON_SERVERS = '.servers.test.ts';
/** Other suites that wait for two thirds of their time or more, for what hangs, lags or is slow to end. */
export const WAITING: readonly string[] = [
  'services/balance/test/abandoned.test.ts',
  'services/balance/test/any-nodes.property.test.ts',
  'services/balance/test/hostile-node.test.ts',
  'services/balance/test/lagging-nodes.test.ts',
  'services/balance/test/node-faults.test.ts',
  'services/balance/test/readiness.test.ts',
  'services/balance/test/snapshot-faults.test.ts',
  'services/balance/test/snapshot-readers.test.ts',
  'services/gateway/test/ended-streams.test.ts',
  'services/gateway/test/hostile.test.ts',
  'services/gateway/test/streams.test.ts',
  'services/holders/test/kill.test.ts',
  'shared/bus/src/sqlite.test.ts',
  'shared/bus/test/kafka-check.test.ts',
  'shared/chain/test/state/hostile-node.test.ts',
  'tests/clients/cli.test.ts',
  'tests/clients/orders.test.ts',
  'tests/e2e/admin.test.ts',
  'tests/holders/administration.test.ts',
  'tests/simulate/simulate.test.ts',
  'tests/truth/lag.test.ts',
];
/**
 * Seconds of urgency added, so that suites that take turns (tools/servers/network-turns.ts) rarely wait: engine first, browser
 * later, but all of it before the engine while servers are installed.
 */
const ADJUSTMENTS: Readonly<Record<string, number>> = {
  'tests/deploy/compose.servers.test.ts': 1_000,
  'tests/deploy/image.servers.test.ts': 1_000,
  'tests/browser/portal.test.ts': -340,
  'tests/browser/documents.test.ts': -130,
  'tests/browser/looks.test.ts': 10,
};

export default class SlowFirst {
  sort(suites: readonly Suite[]): Suite[] {
    const sorted = suites.map(weigh).sort((a, b) => b.urgency - a.urgency || b.size - a.size);
    const meanwhile =
      process.env.SUITES_ON_SERVERS === 'last'
        ? sorted.filter(({ kind, urgency }) => kind !== 'server' && urgency >= MEANWHILE_SECONDS)
        : [];
    const rest = sorted.filter((weighed) => !meanwhile.includes(weighed));
    const kinds = (['server', 'wait', 'work'] as const).map((kind) =>
      rest.filter((one) => one.kind === kind),
    );
    return [...meanwhile, ...mixed(kinds)].map(({ suite }) => suite);
  }

  /** By order, so that every part of a run has its share of each kind. */
  shard(
    suites: readonly Suite[],
    { shardIndex, shardCount }: { shardIndex: number; shardCount: number },
  ): Suite[] {
    return this.sort(suites).filter((_, i) => i % shardCount === shardIndex - 1);
  }

  /** For `--onlyFailures`, which has no memory here: all of them. */
  allFailedTests(suites: readonly Suite[]): Suite[] {
    return [...suites];
  }

  cacheResults(): void {
    // Nothing to store: the order is the same every time.
  }
}

function weigh(suite: Suite): Weighed {
  const name = relative(ROOT, suite.path);
  const seconds = DURATIONS[name] ?? 0;
  const urgency = seconds + (ADJUSTMENTS[name] ?? 0);
  const ownKind = WAITING.includes(name) ? 'wait' : 'work';
  const kind = name.endsWith(ON_SERVERS) ? 'server' : ownKind;
  return { suite, seconds, urgency, size: statSync(suite.path).size, kind };
}

/** All lists in their order, each spread over the whole by its seconds. */
const mixed = (lists: readonly (readonly Weighed[])[]): readonly Weighed[] =>
  lists
    .flatMap(placed)
    .sort((a, b) => a.place - b.place)
    .map(({ weighed }) => weighed);

/** Each with its place: the share of the list's seconds that comes before it, of the part of the run that is the list's. */
function placed(list: readonly Weighed[]): { readonly weighed: Weighed; readonly place: number }[] {
  const total = list.reduce((sum, { seconds }) => sum + seconds + QUICK_SECONDS, 0);
  let before = 0;
  return list.map((weighed) => {
    const place = (before / total) * (weighed.kind === 'work' ? 1 : WAITING_SHARE);
    before += weighed.seconds + QUICK_SECONDS;
    return { weighed, place };
  });
}
