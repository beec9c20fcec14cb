import type { Meter } from '@opentelemetry/api';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import { createHttpServer } from '@hindsight/http/server.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Ids } from '@hindsight/kernel/ids.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { createTokenJudge } from './adapters/token-judge.ts';
import { createTransferLogs } from './adapters/transfer-logs.ts';
import { LOOK_AGAIN_AFTER } from './domain/look-again.ts';
import { describeIndexState } from './index-snapshot.ts';
import { IndexReporter } from './jobs/index-reporter.ts';
import { Indexer, type IndexerSettings } from './jobs/indexer.ts';
import type { ServedList, TokenIndex } from './ports.ts';
import { addTokenList, tokenList } from './routes/token-list.ts';
import { addTokenSingle, tokenSingle } from './routes/token-single.ts';

export { describeIndexState, type IndexSnapshot } from './index-snapshot.ts';
export { indexFileOf, openTokenIndex, openTokenIndexes } from './open-index.ts';
export { readStoredIndexes, type StoredIndex } from './stored-indexes.ts';
export { indexerSettings, TOKEN_SETTINGS } from './settings.ts';

/** The public routes, as they are documented. */
export const TOKENS_API = [tokenList, tokenSingle] as const;

/** The largest answer of a node while indexing: a block full of events makes some 30 MB. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

interface RuntimeDeps {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
  readonly telemetry: Telemetry;
}

export interface TokensDeps extends Omit<RuntimeDeps, 'clock'> {
  /** Those of the networks that this process serves; any other network is a 404. */
  readonly lists: readonly ServedList[];
  /** The base of absolute links; the request's host when not given. */
  readonly publicUrl?: string | undefined;
}

/** Creates the tokens service: every token contract of each network, page by page. Not yet listening. */
export function createTokens({
  lists,
  publicUrl,
  logger,
  ids,
  lifecycle,
  telemetry,
}: TokensDeps): HttpServer {
  const observed = { service: 'tokens', telemetry };
  const app = createHttpServer({ logger, ids, lifecycle, checks: indexReadiness(lists), observed });
  const served = new Map(lists.map((one) => [one.network.name, one]));
  addTokenList(app, { lists: served, publicUrl });
  addTokenSingle(app, { lists: served });
  return app;
}

/** For `/readyz`: how far each index is; it is missing where its store is. Of several, each has its network's name. */
export function indexReadiness(lists: readonly ServedList[]): readonly ReadinessCheck[] {
  return lists.map(({ network, list }) => ({
    name: lists.length === 1 ? 'token index' : `token index of ${network.name}`,
    check: async () => (await describeIndexState(list)).progress,
  }));
}

export interface IndexingDeps extends RuntimeDeps {
  readonly index: TokenIndex;
  readonly network: Network;
  /** Preferably a separate one: indexing makes large requests. */
  readonly node: EthereumNode;
  readonly settings?: Partial<IndexerSettings>;
}

const DEFAULTS: IndexerSettings = {
  fromBlock: 0,
  inFlight: 4,
  firstBlocks: 64,
  maxBlocks: 10_000,
  // Few enough to be read and parsed in a few milliseconds: other requests of the process are not held up.
  events: 1_500,
  logsTimeoutMs: 20_000,
  pollMs: 6_000,
  leaseMs: 10_000,
  maxPauseMs: 30_000,
  lookAgainAfter: LOOK_AGAIN_AFTER,
};

/** Takes part in indexing until the process stops: one instance at a time indexes, the others stand by. */
export function startIndexing(deps: IndexingDeps): void {
  const { index, network, node, clock, logger, ids, lifecycle } = deps;
  const meter: Meter = deps.telemetry.meter('tokens');
  const reader = new ChainReader({ node, network, clock });
  const alone = new ChainReader({ node, network, clock });
  const settings = { ...DEFAULTS, ...deps.settings };
  const ofNetwork = logger.child({ network: network.name });
  const indexer = new Indexer({
    index,
    logs: createTransferLogs(node, settings.logsTimeoutMs),
    judge: createTokenJudge({ reader, alone, network, logger: ofNetwork }),
    clock,
    logger: ofNetwork,
    reporter: new IndexReporter({ logger: ofNetwork, meter, clock, network: network.name }),
    holder: ids.next(),
    settings,
  });
  indexer.start();
  lifecycle.onStop(`token indexer of ${network.name}`, () => indexer.stop());
}
