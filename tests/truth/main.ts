/**
 * `npm run truth [-- TEXT]`: asks everything of every node, or of those with the text in their names; prints what was right,
 * refused and wrong. Ends with 1 for any fault.
 */
import { buildPlan } from '@hindsight/devchain/plan.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { FEEDS_PLAN, tryFeeds } from './feeds.ts';
import { tryHolders } from './holders.ts';
import { KINDS } from './kinds.ts';
import { silentLedgers, tryLedgers, worldLedgers } from './ledgers.ts';
import { AS_SHIPPED, FROM_BYZANTIUM } from './networks.ts';
import { nameOf, seedAnvil, seedGeth, type SeededGeth, type SeededNode } from './nodes.ts';
import { startNetworks, tryNamesElsewhere, tryOverNetworks, tryOverProcesses } from './over-networks.ts';
import { startService } from './service.ts';
import { anvilWith, gethWith } from './stories.ts';
import { tryNode, type Trial } from './truth.ts';

const plan = buildPlan();

interface Case {
  readonly name: string;
  readonly start: () => Promise<SeededNode>;
  readonly networks: readonly (readonly [how: string, network: Network])[];
}

const BOTH = [
  ['', FROM_BYZANTIUM],
  [', as before Byzantium', AS_SHIPPED],
] as const;

const DEFAULT = [['', FROM_BYZANTIUM]] as const;

/** Amsterdam in the middle of the story, and before it; with the gas of providers that allow less than clients do. */
const ACROSS_THE_FORK: readonly SeededGeth[] = [
  { history: 'archive', stateScheme: 'path' },
  { history: 'archive', stateScheme: 'path', amsterdamAt: 150 },
  { history: 'archive', stateScheme: 'hash', amsterdamAt: 150, gasCap: 30_000_000 },
  { history: 'archive', stateScheme: 'hash', amsterdamAt: 0, gasCap: 10_000_000 },
  { history: 'full', stateScheme: 'path', amsterdamAt: 150 },
];

function onGeth(options: SeededGeth, networks: Case['networks'] = DEFAULT): Case {
  return { name: nameOf(options), start: () => seedGeth(plan, options), networks };
}

const CASES: readonly Case[] = [
  { name: 'anvil', start: seedAnvil, networks: [['', AS_SHIPPED]] },
  onGeth({ release: 'geth', history: 'archive', stateScheme: 'hash' }, BOTH),
  onGeth({ release: 'geth', history: 'full', stateScheme: 'path' }, BOTH),
  onGeth({ release: 'geth', history: 'full', stateScheme: 'hash' }, BOTH),
  ...KINDS.map(({ name, network, start }) => ({
    name,
    start: () => start(plan),
    networks: [['', network]] as const,
  })),
  ...ACROSS_THE_FORK.map((options) => onGeth(options)),
];

/** Result of a trial that has a line of its own. */
interface OneLine {
  readonly right: number;
  readonly faults: readonly string[];
}

const SILENT = silentLedgers();

/** Heights at random at which the holders of each token are asked for. */
const HOLDER_HEIGHTS = 200;

/** Trials of several chains at once, and of chains of their own. */
const OTHERS: readonly { readonly name: string; readonly attempt: () => Promise<OneLine> }[] = [
  { name: 'over networks', attempt: () => onNetworks(tryOverNetworks) },
  { name: 'over networks, a process each', attempt: () => onNetworks(tryOverProcesses) },
  { name: 'names on another network', attempt: tryNamesElsewhere },
  {
    name: 'feeds on anvil',
    attempt: () => onNode(anvilWith(FEEDS_PLAN), (node) => tryFeeds(node, AS_SHIPPED)),
  },
  {
    name: 'feeds on geth',
    attempt: () => onNode(gethWith(FEEDS_PLAN), (node) => tryFeeds(node, AS_SHIPPED)),
  },
  {
    name: 'ledgers on anvil',
    attempt: () => onNode(seedAnvil(), (node) => ledgersOn(node, AS_SHIPPED, worldLedgers(plan))),
  },
  {
    name: 'ledgers on geth',
    attempt: () =>
      onNode(seedGeth(plan, { history: 'archive', stateScheme: 'hash' }), (node) =>
        ledgersOn(node, FROM_BYZANTIUM, worldLedgers(plan)),
      ),
  },
  {
    name: 'ledgers of a silent token on anvil',
    attempt: () => onNode(anvilWith(SILENT.plan), (node) => ledgersOn(node, AS_SHIPPED, SILENT)),
  },
  {
    name: 'ledgers of a silent token on geth',
    attempt: () => onNode(gethWith(SILENT.plan), (node) => ledgersOn(node, AS_SHIPPED, SILENT)),
  },
  { name: 'holders on anvil', attempt: () => onNode(seedAnvil(), (node) => holdersOn(node, AS_SHIPPED)) },
  {
    name: 'holders on geth',
    attempt: () =>
      onNode(seedGeth(plan, { history: 'archive', stateScheme: 'path' }), (node) =>
        holdersOn(node, FROM_BYZANTIUM),
      ),
  },
];

async function onNode<T>(
  starting: Promise<SeededNode>,
  attempt: (node: SeededNode) => Promise<T>,
): Promise<T> {
  const node = await starting;
  try {
    return await attempt(node);
  } finally {
    await node.stop();
  }
}

async function onNetworks(attempt: typeof tryOverNetworks): Promise<OneLine> {
  const seeded = await startNetworks(plan);
  try {
    return await attempt(plan, seeded);
  } finally {
    await Promise.all(seeded.map(({ node }) => node.stop()));
  }
}

/** Prints a line for each asset: the rows of books, periods and changes. */
async function ledgersOn(
  node: SeededNode,
  network: Network,
  ledgers: Parameters<typeof tryLedgers>[2],
): Promise<OneLine> {
  const trials = await tryLedgers(node, network, ledgers);
  console.log(row(['', 'books', 'periods', 'changes', 'wrong']));
  for (const { asset, books, periods, changes, faults } of trials)
    console.log(row([`  ${asset}`, books, periods, changes, faults.length]));
  const right = trials.reduce((sum, { books, periods, changes }) => sum + books + periods + changes, 0);
  return { right, faults: trials.flatMap((trial) => trial.faults) };
}

/** Lists, the largest, and transfers of an index of this node; an archive refuses nothing. */
async function holdersOn(node: SeededNode, network: Network): Promise<OneLine> {
  const service = await startService(node.url, network);
  try {
    const asked = { node, network, plan, balanceUrl: service.url };
    const { right, refused, faults } = await tryHolders(asked, HOLDER_HEIGHTS);
    return { right, faults: refused === 0 ? faults : [...faults, `${refused} were refused`] };
  } finally {
    await service.stop();
  }
}

function row(cells: readonly (string | number)[]): string {
  const [first = '', ...rest] = cells.map(String);
  return first.padEnd(68) + rest.map((cell) => cell.padStart(10)).join('');
}

function report(name: string, trial: Trial, seconds: number): void {
  const { judged, views, searches, holders, tokens, count } = trial;
  const of = (kind: 'balance' | 'allowance' | 'native'): number =>
    judged.filter(({ inquiry }) => inquiry.subject.kind === kind).length;
  console.log(
    row([
      ...[name, trial.carrier, of('balance'), of('allowance'), of('native')],
      views.right + views.refused,
      searches.right + searches.refused,
      holders.right + holders.refused,
      tokens.right + tokens.refused,
      ...[count('right'), count('refused'), count('needless'), count('wrong'), `${seconds.toFixed(1)} s`],
    ]),
  );
  for (const fault of trial.faults) console.log(`  ${fault}`);
}

console.log(
  row([
    '',
    'carrier',
    'balances',
    'allowances',
    'ether',
    'views',
    'searches',
    'holders',
    'tokens',
    'right',
    'refused',
    'needless',
    'wrong',
    'took',
  ]),
);
const [text = ''] = process.argv.slice(2);
const chosen = CASES.filter(({ name }) => name.includes(text));
const others = OTHERS.filter(({ name }) => name.includes(text));
if (chosen.length + others.length === 0)
  throw new Error(
    `no node has ${text} in its name; there are ${[...CASES, ...OTHERS].map(({ name }) => name).join('; ')}`,
  );
let faults = 0;
for (const { start, networks } of chosen) {
  const node = await start();
  try {
    for (const [how, network] of networks) {
      const begun = performance.now();
      const trial = await tryNode(node, network, plan, { every: 1, holderHeights: HOLDER_HEIGHTS });
      report(node.name + how, trial, (performance.now() - begun) / 1_000);
      faults +=
        trial.count('wrong') +
        trial.count('needless') +
        trial.views.faults.length +
        trial.searches.faults.length +
        trial.holders.faults.length +
        trial.tokens.faults.length;
    }
  } finally {
    await node.stop();
  }
}
for (const { name, attempt } of others) {
  const trial = await attempt();
  console.log(`${name.padEnd(68)}${trial.right} right, ${trial.faults.length} wrong`);
  for (const fault of trial.faults.slice(0, 5)) console.log(`  ${fault}`);
  faults += trial.faults.length;
}
console.log(
  '\nrefused: the node has no state for that block, and the answer says so. needless: an error, though it has.',
);
process.exitCode = faults === 0 ? 0 : 1;
