/** One node's trial: all questions to the service on it, all answers against the truth. */
import type { Plan } from '@hindsight/devchain/plan-format.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { faultsOfBlocks } from './blocks.ts';
import { tryHolders } from './holders.ts';
import { claimsOf } from './claims.ts';
import { inquire, readChain, sweep } from './inquiries.ts';
import { judgeAll, type Judged, type Verdict } from './judge.ts';
import { namesOf } from './names.ts';
import type { SeededNode } from './nodes.ts';
import { proofsOf } from './proofs.ts';
import { readTruth } from './raw-truth.ts';
import { scoresOf } from './scores.ts';
import { startService } from './service.ts';
import { searchesOf } from './searches.ts';
import { tryViews, viewsOf, type ViewTrial } from './views.ts';

/** Results of a trial. */
export interface Trial {
  readonly judged: readonly Judged[];
  /** Number of answers with a verdict. */
  count: (verdict: Verdict) => number;
  /** Number of different right answers of a kind: accounts, by height. */
  distinct: (kind: Judged['inquiry']['subject']['kind']) => number;
  /** Carrier of the programs that the node ran. */
  readonly carrier: string;
  /** The oldest state that it reports or has shown; undefined if it cannot say, and has it all. */
  readonly oldestState: number | undefined;
  /** Results of the other endpoints. */
  readonly views: ViewTrial;
  /** Results of the endpoints that search logs. */
  readonly searches: ViewTrial;
  /** Lists of holders, the largest of them, and transfers. */
  readonly holders: ViewTrial;
  /** Violations, for people to read; a few are enough. */
  readonly faults: readonly string[];
}

const SHOWN_FAULTS = 5;

/**
 * The part of everything that this node gets while others get the rest: one in `every`, beginning with number
 * `from`.
 */
interface Share {
  /** No divisor of the number of views or searches at a block, so that each kind has its turn. */
  readonly every: number;
  readonly from?: number;
  /** Heights at random at which the holders of each token are asked for. */
  readonly holderHeights?: number;
}

/** Asks everything of a service on a seeded node, or a share and one question at every height. */
export async function tryNode(
  node: SeededNode,
  network: Network,
  plan: Plan,
  { every, from = 0, holderHeights = 3 }: Share = { every: 1 },
): Promise<Trial> {
  const { genesis, ledger } = plan;
  const some = <T>(all: readonly T[]): T[] => all.filter((_, i) => i % every === from);
  const chain = await readChain(node.url, node.heightOf(genesis.number));
  const inquiries = [...inquire(node, chain, ledger, some(claimsOf(ledger))), ...sweep(chain)];
  const truths = await readTruth(node.url, inquiries);
  const service = await startService(node.url, network);
  try {
    const judged = await judgeAll(service.url, network, chain, inquiries, truths);
    const ofBlocks = await faultsOfBlocks(service.url, network, chain, some([...chain.headers.values()]));
    const asked = [
      ...viewsOf(node, chain),
      ...scoresOf(node, chain, network),
      ...proofsOf(node, chain, network),
    ];
    const views = await tryViews(node, network, service.url, some(asked));
    const searches = await tryViews(
      node,
      network,
      service.url,
      some([...searchesOf(node, chain, ledger), ...(await namesOf(node, chain))]),
    );
    const holders = await tryHolders({ node, network, plan, balanceUrl: service.url }, holderHeights);
    const [health] = service.nodes();
    return {
      judged,
      carrier: health?.carriage?.carrier ?? 'not probed',
      oldestState: health?.oldest.state,
      views,
      searches,
      holders,
      count: (verdict) => judged.filter((one) => one.verdict === verdict).length,
      distinct: (kind) =>
        new Set(
          judged
            .filter(({ verdict, inquiry }) => verdict === 'right' && inquiry.subject.kind === kind)
            .map(({ inquiry }) => `${inquiry.height} ${JSON.stringify(inquiry.subject)}`),
        ).size,
      faults: [
        ...judged.filter(isFault).slice(0, SHOWN_FAULTS).map(describe),
        ...ofBlocks.slice(0, SHOWN_FAULTS),
        ...views.faults.slice(0, SHOWN_FAULTS),
        ...searches.faults.slice(0, SHOWN_FAULTS),
        ...holders.faults.slice(0, SHOWN_FAULTS),
      ],
    };
  } finally {
    await service.stop();
  }
}

function isFault({ verdict }: Judged): boolean {
  return verdict === 'wrong' || verdict === 'needless';
}

function describe({ verdict, path, answer, inquiry }: Judged): string {
  const booked = inquiry.booked === undefined ? '' : ` (booked: ${inquiry.booked.amount})`;
  return `${verdict} at block ${inquiry.height}: ${path} → ${answer.status} ${JSON.stringify(answer.body)}${booked}`;
}
