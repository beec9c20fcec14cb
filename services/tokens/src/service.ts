import type { Meter } from '@opentelemetry/api';
import { ChainReader } from '@hindsight/shared/chain/reader.ts';
import { NETWORKS } from '@hindsight/shared/chain/networks.ts';
import type { EthereumNode } from '@hindsight/shared/chain/node.ts';
import type { Clock } from '@hindsight/shared/clock.ts';
import type { ReadinessCheck } from '@hindsight/shared/http/health.ts';
import { createHttpServer } from '@hindsight/shared/http/server.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { Ids } from '@hindsight/shared/ids.ts';
import type { Lifecycle } from '@hindsight/shared/lifecycle.ts';
import type { Logger } from '@hindsight/shared/logger.ts';
import type { Telemetry } from '@hindsight/shared/telemetry.ts';
import { createTokenJudge } from './adapters/token-judge.ts';
import { createTransferLogs } from './adapters/transfer-logs.ts';
import { LOOK_AGAIN_AFTER } from './domain/look-again.ts';
import { describeProgress } from './domain/progress.ts';
import { IndexReporter } from './jobs/index-reporter.ts';
import { Indexer, type IndexerSettings } from './jobs/indexer.ts';
import type { TokenIndex, TokenList } from './ports.ts';
import { addTokenList } from './routes/token-list.ts';
import { addTokenSingle } from './routes/token-single.ts';

export { openTokenIndex } from './open-index.ts';

interface Platform {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
  readonly telemetry: Telemetry;
}

/** What serving the list stands on. */
export interface TokensDeps extends Omit<Platform, 'clock'> {
  readonly index: TokenList;
  /** The base of absolute links; the request's host when not given. */
  readonly publicUrl?: string | undefined;
}

/** Creates the tokens service: every token contract of the chain, page by page. Not yet listening. */
export function createTokens({
  index,
  publicUrl,
  logger,
  ids,
  lifecycle,
  telemetry,
}: TokensDeps): HttpServer {
  const observed = { service: 'tokens', telemetry };
  const app = createHttpServer({ logger, ids, lifecycle, checks: [indexCheck(index)], observed });
  addTokenList(app, index, publicUrl);
  addTokenSingle(app, index);
  return app;
}

function indexCheck(index: TokenList): ReadinessCheck {
  return { name: 'token index', check: () => describeIndex(index) };
}

/** One line on how far the index is, for people. */
async function describeIndex(index: TokenList): Promise<string> {
  const [checkpoint, lease] = await Promise.all([index.checkpoint(), index.lease()]);
  return describeProgress(checkpoint?.number ?? null, lease?.status ?? null);
}

/** What indexing stands on. */
export interface IndexingDeps extends Platform {
  readonly index: TokenIndex;
  /** Best one of its own: what indexing asks for is large. */
  readonly node: EthereumNode;
  readonly settings?: Partial<IndexerSettings>;
}

const DEFAULTS: IndexerSettings = {
  fromBlock: 0,
  inFlight: 4,
  // As many events as are read and parsed in a few milliseconds, so that whoever is served beside does not notice.
  ranges: { first: 64, most: 10_000, events: 1_500 },
  pollMs: 6_000,
  leaseMs: 30_000,
  mostPauseMs: 30_000,
  lookAgainAfter: LOOK_AGAIN_AFTER,
};

/** Takes part in indexing until the process stops: one instance at a time does, the others stand by. */
export function startIndexing(deps: IndexingDeps): void {
  const { index, node, clock, logger, ids, lifecycle } = deps;
  const [network] = NETWORKS.values();
  if (network === undefined) throw new Error('no network is configured');
  const meter: Meter = deps.telemetry.meter('tokens');
  const reader = new ChainReader({ node, network, clock });
  const alone = new ChainReader({ node, network, clock });
  const indexer = new Indexer({
    index,
    logs: createTransferLogs(node),
    judge: createTokenJudge({ reader, alone, network, logger }),
    clock,
    logger,
    reporter: new IndexReporter({ logger, meter, clock }),
    holder: ids.next(),
    settings: { ...DEFAULTS, ...deps.settings },
  });
  indexer.start();
  lifecycle.onStop('token indexer', () => indexer.stop());
}
