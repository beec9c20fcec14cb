/** `npm run scale [table|leases|burst|reads]`: what larger installations need, by arithmetic and by simulation. */
import { installationFor, type Installation, type Load } from './arithmetic.ts';
import { simulateBurst } from './burst.ts';
import { COSTS, INDEX_COSTS, INDEX_SHAPE, LOADS, SHAPE } from './figures.ts';
import { simulateReads } from './reads.ts';
import { simulateExhaustion, simulatePopulation, type Spread } from './leases.ts';

const PLAN_RATES: readonly (readonly [plan: string, limit: number, rate: number])[] = [
  ['Free', 100_000, 5],
  ['Starter', 1_000_000, 15],
  ['Growth', 5_000_000, 50],
  ['Business', 25_000_000, 150],
];
/** Enough for gateways to hold what they would hold in the midst of the month. */
const MOST_LEFT = 300_000;

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const percent = (share: number): string => `${(share * 100).toFixed(share < 0.001 ? 4 : 2)} %`;

function table(): void {
  const rows: readonly (readonly [string, (of: Installation) => string])[] = [
    ['balances a second, mean', ({ perSecond }) => whole(perSecond)],
    ['balances a second, at the peak', ({ peakPerSecond }) => whole(peakPerSecond)],
    ['gateway processes', ({ gateways }) => whole(gateways)],
    ['balance services, cores', ({ balanceCores }) => balanceCores.toFixed(1)],
    ['archive nodes', ({ nodes }) => whole(nodes)],
    ['usage events a second', ({ usageEvents }) => whole(usageEvents)],
    ['metering services, cores', ({ meteringCores }) => meteringCores.toFixed(2)],
    ['counting writes a second', ({ countingWrites }) => whole(countingWrites)],
    ['lease writes a second', ({ leaseWrites }) => whole(leaseWrites)],
    ['MongoDB shards for both', ({ shards }) => whole(shards)],
    ['Redis commands a second', ({ redisCommands }) => whole(redisCommands)],
    ['Redis primaries', ({ redis }) => whole(redis)],
  ];
  const all = LOADS.map((load: Load) => installationFor(load, COSTS, SHAPE));
  const days = LOADS.map(({ balancesPerDay }) => `${whole(balancesPerDay / 1e6)} million a day`);
  print(
    ['', ...days],
    rows.map(([name, show]) => [name, ...all.map(show)]),
  );
}

async function leases(): Promise<void> {
  const gateways = 200;
  const spreads: readonly (readonly [string, Spread])[] = [
    ['any gateway', { gateways, skew: 0 }],
    ['20 gateways a key', { gateways: 20, skew: 0 }],
    ['2 gateways a key', { gateways: 2, skew: 0 }],
  ];
  const rate = 2e9 / 86_400;
  const population = { gateways, projects: 1_000_000, rate, skew: 1, seconds: 20 };
  const costs: string[][] = [];
  for (const [name, spread] of spreads) {
    const { requests, refused, writesPerSecond, writesPerRequest, heldSeconds, heldShare } =
      await simulatePopulation({ ...population, spread });
    const held = [heldSeconds.toFixed(1), percent(heldShare)];
    costs.push([
      name,
      whole(requests),
      whole(refused),
      whole(writesPerSecond),
      writesPerRequest.toFixed(2),
      ...held,
    ]);
  }
  console.log(`${gateways} gateways, a million projects, ${whole(rate)} requests/s:\n`);
  print(
    ['a project reaches', 'requests', 'refused', 'writes/s', 'a request', 'held, s of load', 'of all limits'],
    costs,
  );

  const ends: string[][] = [];
  const uneven: readonly [string, Spread] = ['any, unevenly', { gateways, skew: 1 }];
  for (const [plan, limit, rate] of PLAN_RATES) {
    for (const [name, spread] of [...spreads.slice(0, 1), uneven, ...spreads.slice(-1)]) {
      const left = Math.min(limit, MOST_LEFT);
      const end = await simulateExhaustion({ gateways, spread, left, limit, rate, seconds: 600 });
      const needless = [whole(end.needless), `${end.needlessSeconds.toFixed(0)} s`];
      ends.push([
        plan,
        name,
        end.writesPerRequest.toFixed(2),
        percent(end.heldAtFirstRefusal),
        ...needless,
        percent(end.unspent),
      ]);
    }
  }
  console.log('\nA project at its full rate until its month is used up, and ten minutes more:\n');
  print(
    [
      'plan',
      'a project reaches',
      'writes a request',
      'held at the first refusal',
      'needless refusals',
      'within',
      'never spent',
    ],
    ends,
  );
}

function burst(): void {
  const counts = [1, 4, 8, 20, 50, 200];
  const rows = PLAN_RATES.map(([plan, , rate]) => [
    `${plan}, ${rate}/s`,
    ...counts.map((gateways) => {
      const { needless, most } = simulateBurst(gateways, rate, 600);
      return `${percent(needless)}, ${most.toFixed(1)}`;
    }),
  ]);
  console.log(
    'Refused of a client that asks half its rate; what a flood gets in 10 s, in multiples of the rate:\n',
  );
  print(['plan', ...counts.map((gateways) => `${gateways} gateways`)], rows);
}

function reads(): void {
  const rates = [0.1, 1, 10, 100];
  const rows = rates.flatMap((rate) =>
    [false, true].map((isApart) => {
      const { machines, used, took } = simulateReads(rate, isApart, INDEX_COSTS, INDEX_SHAPE);
      const both = ({ p50, p99 }: { p50: number; p99: number }): string => `${seconds(p50)}, ${seconds(p99)}`;
      const where = isApart ? 'machines of their own' : 'any machine';
      const times = [took.page, took.wallet, took.list].map(both);
      return [`${rate}/s`, where, whole(machines), percent(used), ...times];
    }),
  );
  console.log('Questions to an index of all of mainnet; seconds until the answer, p50 and p99:\n');
  print(['questions', 'lists on', 'machines', 'used', 'a page', 'a wallet', 'a list'], rows);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(ms < 10_000 ? 2 : 0);
}

function print(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  console.log([line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n'));
}

const PARTS: Readonly<Record<string, () => void | Promise<void>>> = { table, leases, burst, reads };
const [name] = process.argv.slice(2);
if (name !== undefined && PARTS[name] === undefined) {
  console.log(`npm run scale [PART], where PART is one of: ${Object.keys(PARTS).join(', ')}`);
  process.exitCode = 2;
} else {
  for (const [part, show] of Object.entries(PARTS)) {
    if (name !== undefined && part !== name) continue;
    console.log(`\n# ${part}\n`);
    await show();
  }
}
