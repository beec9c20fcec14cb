/** One node's trial: all questions to the service on it, all answers against the truth. */
import type { Plan } from '@hindsight/devchain/plan-format.ts';
import { CHAIN, TOKENS } from '@hindsight/devchain/world.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { faultsOfBlocks } from './blocks.ts';
import { tryHolders } from './holders.ts';
import { claimsOf, type Claim } from './claims.ts';
import { inquire, readChain, sweep } from './inquiries.ts';
import { judgeAll, type Judged, type Verdict } from './judge.ts';
import { namesOf, type NamedView } from './names.ts';
import type { SeededNode } from './nodes.ts';
import { proofsOf } from './proofs.ts';
import { readTruth } from './raw-truth.ts';
import { scoresOf } from './scores.ts';
import { startService } from './service.ts';
import { searchesOf } from './searches.ts';
import { tryTokens } from './tokens.ts';
import { tryViews, viewsOf, type ServiceTrial, type View, type ViewTrial } from './views.ts';

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
  /** Lists and files of holders, the largest of them, their number over time, and transfers. */
  readonly holders: ViewTrial;
  /** The list of tokens, and each alone, of an archive: its index waits for the state of their first blocks. */
  readonly tokens: ViewTrial;
  /** The routes that have answered. */
  readonly asked: ReadonlySet<string>;
  /** Violations, for people to read; a few are enough. */
  readonly faults: readonly string[];
}

const SHOWN_FAULTS = 5;

/** The part of everything that this node gets: one in `every` of each kind, beginning with number `from`. */
interface Share {
  /** Must not divide the number of blocks, holders or ids that a kind repeats: it would always ask for the same one. */
  readonly every: number;
  readonly from?: number;
  /** Each endpoint on each token is a kind of view; without it each endpoint. */
  readonly everyToken?: true;
  /** Blocks from one height to the next of those at which one question each is asked. */
  readonly step?: number;
  /** Heights where rules or state change: a question is asked at each, and at those around it. */
  readonly borders?: readonly number[];
  /** Heights at random at which the holders of each token are asked for: 1, unless given; 0 for no index of holders or tokens. */
  readonly holderHeights?: number;
}

/** The part that tells the kinds of views apart. */
type Asking = Pick<View, 'path' | 'body'>;

const NOT_ASKED: ServiceTrial = { right: 0, refused: 0, faults: [], asked: new Set() };

/** Asks a share of everything of a service on a seeded node, and one question at heights all over the chain. */
export async function tryNode(
  node: SeededNode,
  network: Network,
  plan: Plan,
  { holderHeights = 1, ...share }: Share,
): Promise<Trial> {
  const { genesis, ledger } = plan;
  const kindOfView = share.everyToken ? endpointAndTokenOf : endpointOf;
  const some = <T extends Asking>(all: readonly T[]): T[] => shareOf(all, share, kindOfView);
  const chain = await readChain(node.url, node.heightOf(genesis.number));
  const claims = shareOf(claimsOf(ledger), share, kindOfClaim);
  const inquiries = [...inquire(node, chain, ledger, claims), ...sweep(chain, share)];
  const truths = await readTruth(node.url, inquiries);
  const service = await startService(node.url, network);
  try {
    const judged = await judgeAll(service.url, network, chain, inquiries, truths);
    const blocks = shareOf([...chain.headers.values()], share, () => '');
    const ofBlocks = await faultsOfBlocks(service.url, network, chain, blocks);
    const viewed = [
      ...viewsOf(node, chain),
      ...scoresOf(node, chain, network),
      ...proofsOf(node, chain, network),
    ];
    const views = await tryViews(node, network, service.url, some(viewed));
    const searched = some<View | NamedView>([...searchesOf(node, chain, ledger), ...namesOf(node, chain)]);
    const opened = await Promise.all(
      searched.map(async (view) => ('open' in view ? await view.open() : view)),
    );
    const searches = await tryViews(node, network, service.url, opened);
    const ofHolders = { node, network, plan, balanceUrl: service.url };
    const isIndexed = holderHeights > 0;
    const holders = isIndexed ? await tryHolders(ofHolders, holderHeights) : NOT_ASKED;
    const [health] = service.nodes();
    const isArchive = (health?.oldest.state ?? 0) <= node.heightOf(genesis.number);
    const tokens = isIndexed && isArchive ? await tryTokens(node, network) : NOT_ASKED;
    return {
      judged,
      carrier: health?.carriage?.carrier ?? 'not probed',
      oldestState: health?.oldest.state,
      views,
      searches,
      holders,
      tokens,
      asked: new Set([service, holders, tokens].flatMap(({ asked }) => [...asked])),
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
        ...tokens.faults.slice(0, SHOWN_FAULTS),
      ],
    };
  } finally {
    await service.stop();
  }
}

/** One in `every` of each kind, and at least one. */
function shareOf<T>(all: readonly T[], { every, from = 0 }: Share, kindOf: (one: T) => string): T[] {
  return [...Map.groupBy(all, kindOf).values()].flatMap((same) => {
    const first = from % Math.min(every, same.length);
    return same.filter((_, i) => i % every === first);
  });
}

/** Tells apart the token, the way to name block and holder, answers without a value, and the first block and the head. */
function kindOfClaim({ subject, block, by, name, absent }: Claim): string {
  const [token, since] =
    subject.kind === 'native' ? ['', CHAIN.genesis] : [subject.token, TOKENS[subject.token].since];
  return [subject.kind, token, by, name === undefined, absent, block === since, block === CHAIN.head].join();
}

function endpointOf({ path }: Asking): string {
  return path.split('?', 1)[0]!;
}

function endpointAndTokenOf(view: Asking): string {
  const query = new URLSearchParams(view.path.split('?')[1]);
  const { token_address, target } = typeof view.body === 'object' ? view.body : {};
  return `${endpointOf(view)} ${String(query.get('token_address') ?? token_address ?? target)}`;
}

function isFault({ verdict }: Judged): boolean {
  return verdict === 'wrong' || verdict === 'needless';
}

function describe({ verdict, path, answer, inquiry }: Judged): string {
  const booked = inquiry.booked === undefined ? '' : ` (booked: ${inquiry.booked.amount})`;
  return `${verdict} at block ${inquiry.height}: ${path} → ${answer.status} ${JSON.stringify(answer.body)}${booked}`;
}
