import { createFinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import { firstToWalk, Walk, WALK_DEFAULTS, type WalkSettings } from '@hindsight/indexing/walk.ts';
import { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { ofEachNetwork, type ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import { createHttpServer } from '@hindsight/http/server.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { LOOK_AGAIN_AFTER } from './domain/token.ts';
import { describeIndexState } from './index-snapshot.ts';
import { FIRST_SEEN } from './jobs/first-seen.ts';
import { ListReporter } from './jobs/list-reporter.ts';
import { ListedRanges } from './jobs/listed-ranges.ts';
import { RecentBlock } from './jobs/recent-block.ts';
import { createTokenJudge } from './jobs/token-judge.ts';
import type { ServedList, TokenIndex } from './ports.ts';
import { addTokenList, tokenList } from './routes/token-list.ts';
import { addTokenSingle, tokenSingle } from './routes/token-single.ts';

export { describeIndexState, type IndexSnapshot } from './index-snapshot.ts';
export { indexFileOf, openTokenIndex, openTokenIndexes } from './open-index.ts';
export { readStoredIndexes, type StoredIndex } from './stored-indexes.ts';
export { indexerSettings, TOKEN_SETTINGS } from './settings.ts';

/** The public routes, as documented. */
export const TOKENS_API = [tokenList, tokenSingle] as const;

interface RuntimeDeps extends Platform {
  readonly telemetry: Telemetry;
}

export interface TokensDeps extends Omit<RuntimeDeps, 'clock'> {
  /** Those of the networks that this process serves; any other network is a 404. */
  readonly lists: readonly ServedList[];
  /** The base of absolute links; by default the request's host. */
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

/** For `/readyz`: the position of each index, or its absence if its store is unavailable. */
export function indexReadiness(lists: readonly ServedList[]): readonly ReadinessCheck[] {
  return ofEachNetwork(
    'token index',
    lists.map(({ network, list }) => ({
      network,
      check: async () => (await describeIndexState(list)).progress,
    })),
  );
}

export interface IndexingDeps extends RuntimeDeps {
  readonly index: TokenIndex;
  readonly network: Network;
  /** Preferably a separate one: indexing makes large requests. */
  readonly node: EthereumNode;
  readonly settings?: Partial<TokenWalkSettings>;
}

interface TokenWalkSettings extends WalkSettings {
  /** Seconds after which a token without a name is checked again. */
  readonly lookAgainAfter: readonly number[];
}

/** Takes part in indexing until the process stops: one instance at a time indexes, the others stand by. */
export function startIndexing(deps: IndexingDeps): void {
  const { index, network, node, clock, logger, ids, lifecycle } = deps;
  const meter = deps.telemetry.meter('tokens');
  const reader = new ChainReader({ node, network, clock });
  const alone = new ChainReader({ node, network, clock });
  const given = { ...WALK_DEFAULTS, lookAgainAfter: LOOK_AGAIN_AFTER, ...deps.settings };
  const settings = { ...given, fromBlock: firstToWalk(network, given) };
  const ofNetwork = logger.child({ network: network.name });
  const measured = { meter, network: network.name };
  const logs = createFinalizedLogs(node, FIRST_SEEN, settings.logsTimeoutMs);
  const recent = new RecentBlock(logs, clock);
  const reporter = new WalkReporter({
    ...measured,
    kind: 'token',
    prefix: 'hindsight_tokens',
    logger: ofNetwork,
    clock,
  });
  const ranges = new ListedRanges({
    index,
    judge: createTokenJudge({ reader, alone, network, logger: ofNetwork }),
    recent,
    lookAgainAfter: settings.lookAgainAfter,
    reporter,
    list: new ListReporter(measured),
  });
  const walked = { index: ranges, leased: index, holder: ids.next() };
  const walk = new Walk({ ...walked, logs, clock, logger: ofNetwork, reporter, settings });
  walk.start();
  // The next start goes on where the index ends.
  lifecycle.onStop(`token indexer of ${network.name}`, () => walk.stop(), Infinity);
}
