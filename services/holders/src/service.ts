import { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { KnownBlocks } from '@hindsight/chain/state/known-blocks.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { createHttpServer } from '@hindsight/http/server.ts';
import { addServedNetworks } from '@hindsight/http/served-networks.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { describeProgress } from '@hindsight/indexing/progress.ts';
import { ofEachNetwork, type ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import { createTransferEvents } from './adapters/node-transfers.ts';
import { createRecentHolders } from './adapters/recent-holders.ts';
import { followBook } from './jobs/follow-book.ts';
import { createFinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import { checkIndex, type IndexChecks } from './jobs/check-index.ts';
import { measureIndex } from './jobs/measure-index.ts';
import { sumOf } from './jobs/sum-of.ts';
import { touchedBy } from './jobs/touched.ts';
import type { BalanceApi, TrackBook } from './ports.ts';
import { BalanceQuestions } from './routes/balance-answers.ts';
import { IndexedChain } from './routes/indexed-chain.ts';
import { mostAheadOf } from './routes/indexed-question.ts';
import { LargestReader } from './routes/largest-reader.ts';
import { TokenStandards } from './routes/token-standards.ts';
import { addHolderSeries, holderSeries } from './routes/holder-series.ts';
import { addHoldersExport, holdersExport } from './routes/holders-export.ts';
import { addNamedByEvents } from './routes/named-by-events.ts';
import { addTransfers, transfers } from './routes/transfers.ts';
import { addTokenHolders, tokenHolders } from './routes/token-holders.ts';
import type { Track } from './domain/tracks.ts';
import { Walks, type WalksDeps } from './walks.ts';

export { isPart } from './domain/track-parts.ts';
export { ALL_TOKENS, MAX_TOKENS, readTracks } from './domain/tracks.ts';
export { estimateTrack, type TrackEstimate } from './estimate.ts';
export { firstBlockOf } from './first-block.ts';
export { openHolderIndex } from './open-index.ts';
export { openTrackBook, storedTrackBooks } from './open-track-book.ts';
export type { HolderIndex, TrackBook, TrackReport } from './ports.ts';
export { HOLDER_SETTINGS, walkSettings } from './settings.ts';

/** The public routes, as they are documented. */
export const HOLDERS_API: readonly ApiOperation[] = [tokenHolders, holdersExport, holderSeries, transfers];

/** A network besides the first: the settings name tracks only of the first, the administration of any. */
export type FurtherNetwork = Required<Pick<HoldersDeps, 'network' | 'node' | 'index' | 'book'>>;

export interface HoldersDeps extends WalksDeps {
  readonly balance: BalanceApi;
  /** Starts indexing at the first request, so that an unused index takes no memory. */
  readonly lazily?: boolean;
  /** Comparisons with the chain; none if not given. */
  readonly checksPerMinute?: number;
  /** The administration adds and removes tracks by it; without one, they are those of the settings. */
  readonly book?: TrackBook;
  /** Milliseconds in which an answer must begin. */
  readonly deadlineMs?: number;
  readonly others?: readonly FurtherNetwork[];
}

const DEADLINE_MS = 10_000;
/** Of a request's time, for the search of blocks that the index does not have yet. */
const SEARCH_SHARE = 0.5;
const CHECK_LOGS_TIMEOUT_MS = 20_000;

/** Creates the holders service: who held a token, at any block. Not yet listening. */
export function createHolders(deps: HoldersDeps): HttpServer {
  const { others = [], logger, ids, lifecycle, telemetry } = deps;
  const chains = [deps, ...others.map((one) => ({ ...deps, tracks: [], ...one }))].map(openChain);
  const observed = { service: 'holders', telemetry };
  const app = createHttpServer({ logger, ids, lifecycle, checks: readinessOf(chains), observed });
  for (const chain of chains)
    if ((deps.checksPerMinute ?? 0) > 0) chain.checked = startChecks(chain.deps, chain.walks, app);
  const served = new Map(chains.map((chain) => [chain.deps.network.name, readersOf(chain)]));
  for (const add of [addTokenHolders, addHoldersExport, addHolderSeries, addTransfers])
    add(app, served, deps.deadlineMs ?? DEADLINE_MS);
  addNamedByEvents(app, served);
  addServedNetworks(app, () =>
    [...served.values()].map((one) => ({ ...one, available: { index: one.tracks.length > 0 } })),
  );
  return app;
}

interface OpenChain {
  readonly deps: HoldersDeps;
  readonly walks: Walks;
  checked?: IndexChecks;
}

function openChain(deps: HoldersDeps): OpenChain {
  const walks = new Walks(deps);
  if (deps.lazily !== true) walks.start();
  const chain: OpenChain = { deps, walks };
  startJobs(deps, walks, (track) => chain.checked?.describe(track));
  return chain;
}

function readersOf({ deps, walks }: OpenChain) {
  const { network, node, index, balance, clock, deadlineMs = DEADLINE_MS } = deps;
  const known = new KnownBlocks(clock);
  const logs = new LogSearch({ node, known, clock });
  const balances = new BalanceQuestions(balance, network.name);
  return {
    index,
    name: network.name,
    chainId: network.chainId,
    get tracks(): readonly Track[] {
      return walks.tracks;
    },
    recent: createRecentHolders(logs, network, SEARCH_SHARE * deadlineMs),
    events: createTransferEvents(node),
    standards: new TokenStandards(balances),
    firstBlock: (signal: AbortSignal) => logs.firstBlock(signal),
    mostAhead: mostAheadOf(network),
    balances,
    chain: new IndexedChain(balances),
    largest: new LargestReader(),
    ready: () => walks.ready(),
    isWalked: () => walks.running.length > 0,
  };
}

function startJobs(deps: HoldersDeps, walks: Walks, checked: (track: Track) => string | undefined): void {
  const { book, index, tracks: set, network, lifecycle, telemetry } = deps;
  const isUsed = (): boolean => walks.tracks.some((track) => walks.reporterOf(track) !== undefined);
  const meter = telemetry.meter('holders');
  const jobs = [measureIndex({ ...deps, network: network.name, meter, isUsed })];
  if (book !== undefined) jobs.push(followBook({ ...deps, index, book, walks, set, checked }));
  for (const job of jobs) job.startIn(lifecycle);
}

function startChecks(deps: HoldersDeps, walks: Walks, app: HttpServer): IndexChecks {
  const { index, node, network, logger, lifecycle, telemetry, checksPerMinute: perMinute = 0 } = deps;
  const checks = checkIndex({
    index,
    logsOf: (track) => createFinalizedLogs(node, touchedBy(track), CHECK_LOGS_TIMEOUT_MS),
    sumOf: (token, block, signal) => sumOf(app, network.name, { token, block, signal }),
    logger,
    random: Math.random,
    meter: telemetry.meter('holders'),
    network: network.name,
    perMinute,
    tracks: () => walks.tracks.filter((track) => walks.reporterOf(track) !== undefined),
  });
  checks.job.startIn(lifecycle);
  return checks;
}

/** For `/readyz`: how far each index is. */
function readinessOf(chains: readonly OpenChain[]): readonly ReadinessCheck[] {
  const walked = chains.filter(({ deps }) => deps.lazily !== true);
  return ofEachNetwork(
    'index of holders',
    walked.map((chain) => ({ network: chain.deps.network, check: () => describeIndex(chain) })),
  );
}

/** @throws {StoreUnavailable} where the engine of the index is not there */
async function describeIndex({ deps: { index }, walks, checked }: OpenChain): Promise<string> {
  const { tracks } = walks;
  const [first] = tracks;
  if (first === undefined) return 'no token is indexed (INDEX_TOKENS, admin index add)';
  const last = walks.furthestBehind() ?? first;
  const [position, lease] = await Promise.all([index.position(last), index.lease(last)]);
  const progress = describeProgress(position?.number ?? null, lease?.status ?? null);
  const words = [
    tracks.length === 1 ? progress : `${progress} (${last}, the furthest behind of ${tracks.length})`,
    checked?.describe(),
  ];
  return words.filter((text) => text !== undefined).join('; ');
}
