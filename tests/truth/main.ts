/**
 * `npm run truth [-- TEXT]`: asks everything of every node, or of those with the text in their names; prints what was right,
 * refused and wrong. Ends with 1 for any fault.
 */
import { buildPlan } from '@hindsight/devchain/plan.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { KINDS } from './kinds.ts';
import { AS_SHIPPED, FROM_BYZANTIUM } from './networks.ts';
import { nameOf, seedAnvil, seedGeth, type SeededGeth, type SeededNode } from './nodes.ts';
import { tryNamesElsewhere, tryOverNetworks } from './over-networks.ts';
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
  { release: 'geth-1.17', history: 'archive', stateScheme: 'path' },
  { release: 'geth-1.17', history: 'archive', stateScheme: 'path', amsterdamAt: 150 },
  { release: 'geth-1.17', history: 'archive', stateScheme: 'hash', amsterdamAt: 150, gasCap: 30_000_000 },
  { release: 'geth-1.17', history: 'archive', stateScheme: 'hash', amsterdamAt: 0, gasCap: 10_000_000 },
  { release: 'geth-1.17', history: 'full', stateScheme: 'path', amsterdamAt: 150 },
];

function onGeth(options: SeededGeth, networks: Case['networks'] = DEFAULT): Case {
  return { name: nameOf(options), start: () => seedGeth(plan, options), networks };
}

const CASES: readonly Case[] = [
  { name: 'anvil', start: seedAnvil, networks: [['', AS_SHIPPED]] },
  onGeth({ history: 'archive', stateScheme: 'hash' }, BOTH),
  onGeth({ history: 'full', stateScheme: 'path' }, BOTH),
  onGeth({ history: 'full', stateScheme: 'hash' }, BOTH),
  ...KINDS.map(({ name, network, start }) => ({
    name,
    start: () => start(plan),
    networks: [['', network]] as const,
  })),
  ...ACROSS_THE_FORK.map((options) => onGeth(options)),
];

/** Trials of several chains at once. */
const OVER_NETWORKS = [
  { name: 'over networks', attempt: () => tryOverNetworks(plan) },
  { name: 'names on another network', attempt: tryNamesElsewhere },
];

function row(cells: readonly (string | number)[]): string {
  const [first = '', ...rest] = cells.map(String);
  return first.padEnd(68) + rest.map((cell) => cell.padStart(10)).join('');
}

function report(name: string, trial: Trial, seconds: number): void {
  const { judged, views, searches, holders, count } = trial;
  const of = (kind: 'balance' | 'allowance' | 'native'): number =>
    judged.filter(({ inquiry }) => inquiry.subject.kind === kind).length;
  console.log(
    row([
      ...[name, trial.carrier, of('balance'), of('allowance'), of('native')],
      views.right + views.refused,
      searches.right + searches.refused,
      holders.right + holders.refused,
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
    'right',
    'refused',
    'needless',
    'wrong',
    'took',
  ]),
);
const [text = ''] = process.argv.slice(2);
const chosen = CASES.filter(({ name }) => name.includes(text));
const several = OVER_NETWORKS.filter(({ name }) => name.includes(text));
if (chosen.length + several.length === 0)
  throw new Error(
    `no node has ${text} in its name; there are ${[...CASES, ...OVER_NETWORKS].map(({ name }) => name).join('; ')}`,
  );
let faults = 0;
for (const { start, networks } of chosen) {
  const node = await start();
  try {
    for (const [how, network] of networks) {
      const begun = performance.now();
      const trial = await tryNode(node, network, plan, { every: 1, holderHeights: 200 });
      report(node.name + how, trial, (performance.now() - begun) / 1_000);
      faults +=
        trial.count('wrong') +
        trial.count('needless') +
        trial.views.faults.length +
        trial.searches.faults.length +
        trial.holders.faults.length;
    }
  } finally {
    await node.stop();
  }
}
for (const { name, attempt } of several) {
  const trial = await attempt();
  console.log(`${name.padEnd(68)}${trial.right} right, ${trial.faults.length} wrong`);
  for (const fault of trial.faults.slice(0, 5)) console.log(`  ${fault}`);
  faults += trial.faults.length;
}
console.log(
  '\nrefused: the node has no state for that block, and the answer says so. needless: an error, though it has.',
);
process.exitCode = faults === 0 ? 0 : 1;
