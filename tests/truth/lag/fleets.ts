/** The nodes under the questions: behind one URL or several, all on one chain, some of them lagging. */
import type { Balancer, LaggingNode } from '@hindsight/chain/test/support/lagging-nodes.ts';
import type { LedgerChain } from './ledger-chain.ts';
import type { Random } from './random.ts';

/** Nodes by URL. */
export interface Fleet {
  readonly name: string;
  readonly urls: readonly (readonly LaggingNode[])[];
  /** True if URLs send the calls of one request to different nodes. */
  readonly splits?: boolean;
  /** Changes the nodes before a question. */
  readonly stir?: (balancers: readonly Balancer[], random: Random) => void;
  /** Reorganises the chain before some searches of logs. */
  readonly reorganises?: boolean;
}

const WELL: LaggingNode = { lag: 0, beyond: 'part' };
const part = (lag: number): LaggingNode => ({ lag, beyond: 'part' });
const nothing = (lag: number): LaggingNode => ({ lag, beyond: 'nothing' });
const refusing = (lag: number, refusal: string): LaggingNode => ({ lag, beyond: { refusal } });
const GETH = 'invalid block range params';
const PUBLICNODE = 'block range extends beyond current head block: requested 2, head 1';
const faulty = (node: LaggingNode, text: string): LaggingNode => ({
  ...node,
  fault: (method) => (method === 'eth_getLogs' ? text : undefined),
});

/** Of each node with a lag, the lag changes from one question to the next. */
function drift(balancers: readonly Balancer[], random: Random): void {
  for (const { nodes } of balancers) for (const node of nodes.slice(1)) node.lag = random.below(4);
}

/** Now and then a node answers searches of logs with an error. */
function sicken(balancers: readonly Balancer[], random: Random): void {
  const texts = [
    'Internal error',
    'query timeout exceeded',
    'header not found',
    GETH,
    PUBLICNODE,
    'missing trie node',
  ];
  for (const { nodes } of balancers)
    for (const node of nodes) {
      const text = random.below(4) === 0 ? random.of(texts) : undefined;
      node.fault = (method) => (method === 'eth_getLogs' ? text : undefined);
    }
}

/** All of them. */
export const FLEETS: readonly Fleet[] = [
  { name: 'one URL, parts', urls: [[WELL, part(1), WELL, part(2), WELL, part(3)]], stir: drift },
  { name: 'one URL, nothing', urls: [[WELL, nothing(1), WELL, nothing(2), WELL, nothing(3)]], stir: drift },
  {
    name: 'one URL, refusals',
    urls: [[WELL, refusing(1, GETH), WELL, refusing(2, PUBLICNODE)]],
    stir: drift,
  },
  {
    name: 'one URL that splits, parts',
    urls: [[WELL, WELL, WELL, part(1), WELL, part(2), part(3)]],
    splits: true,
  },
  {
    name: 'one URL that splits, nothing',
    urls: [[WELL, WELL, WELL, nothing(1), WELL, nothing(3)]],
    splits: true,
  },
  {
    name: 'one URL that splits, small ranges',
    urls: [[WELL, WELL, { ...part(2), maxBlocks: 20 }, WELL, { ...WELL, maxBlocks: 40 }, refusing(1, GETH)]],
    splits: true,
  },
  {
    name: 'several URLs, the first without logs',
    urls: [
      [faulty(WELL, 'the method eth_getLogs does not exist/is not available')],
      [part(1)],
      [nothing(2)],
      [WELL],
    ],
  },
  {
    name: 'several URLs, none of them well',
    urls: [[faulty(WELL, 'the method eth_getLogs does not exist/is not available')], [part(1)], [nothing(2)]],
    stir: (balancers, random) => drift(balancers.slice(1), random),
  },
  {
    name: 'several URLs, sick now and then',
    urls: [[WELL, part(1)], [nothing(2)], [WELL, part(3)]],
    stir: sicken,
  },
  { name: 'reorganisations', urls: [[WELL, WELL, part(1)]], reorganises: true },
  { name: 'reorganisations, split', urls: [[WELL, WELL, WELL, nothing(1)]], splits: true, reorganises: true },
];

/** In this share of requests that search logs the chain is reorganised first. */
const ONE_IN = 6;

/** Reorganises the chain between the pin of a block and a search of its logs. */
export function disturb(balancers: readonly Balancer[], chain: LedgerChain, random: Random): void {
  let busy: Promise<void> | undefined;
  for (const balancer of balancers)
    balancer.before = async (methods) => {
      await busy;
      if (!methods.includes('eth_getLogs') || random.below(ONE_IN) > 0) return;
      busy = chain.reorganise();
      await busy;
    };
}
