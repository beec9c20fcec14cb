import { MAX_JSON_VALUES } from '@hindsight/api/units.ts';
import type { BlockCalendar } from '@hindsight/chain/dates/calendar.ts';
import { DateSearch } from '@hindsight/chain/dates/date-search.ts';
import { NameResolver } from '@hindsight/chain/ens/name-resolver.ts';
import { NamesElsewhere, type Registry } from '@hindsight/chain/ens/names-elsewhere.ts';
import type { CcipGateways } from '@hindsight/chain/ens/ccip/offchain.ts';
import { EtherLogs } from '@hindsight/chain/logs/ether-logs.ts';
import { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { KnownBlocks } from '@hindsight/chain/state/known-blocks.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { Failover } from '@hindsight/chain/pool/failover.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import { nodesReadiness } from '@hindsight/chain/readiness.ts';
import { TokenReader } from './chain/token-reader.ts';
import { TokenRowReader } from './chain/token-rows.ts';
import { WalletReader } from './chain/wallet-reader.ts';
import { addImmutableAnswers } from './routes/immutable-answers.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { acceptBoundedJson } from '@hindsight/http/json-bodies.ts';
import { createHttpServer } from '@hindsight/http/server.ts';
import type { OtherService } from '@hindsight/http/other-service.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { RedisStore } from '@hindsight/stores/redis.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { createHistory } from './chain/chain-history.ts';
import { EventIndex } from './chain/event-index.ts';
import { createMemoryCache } from './adapters/memory-cache.ts';
import { createRedisCache } from './adapters/redis-cache.ts';
import { createManyBalances } from './chain/many-balances.ts';
import { ProofReader } from './chain/proof-reader.ts';
import { createRedisCalendar } from './adapters/redis-calendar.ts';
import { CALENDAR_MIGRATIONS, createSqliteCalendar } from './adapters/sqlite-calendar.ts';
import { allowanceList } from './views/allowance-list.ts';
import { allowanceSingle } from './views/allowance-single.ts';
import { Answers } from './routes/answers.ts';
import { balanceNative } from './views/balance-native.ts';
import { addBatches, balanceBatch, networksBatch } from './routes/balance-batch.ts';
import { balanceChanges } from './views/balance-changes.ts';
import { balanceReconcile } from './routes/balance-reconcile.ts';
import { addBalanceSnapshot, balanceSnapshot } from './routes/balance-snapshot.ts';
import { balanceSeries } from './views/balance-series.ts';
import { balanceStatement } from './views/balance-statement.ts';
import { balanceSingle } from './views/balance-single.ts';
import { addBlocks, blocks } from './routes/blocks.ts';
import { call } from './routes/call.ts';
import { callSeries } from './routes/call-series.ts';
import { addNetworks, networks } from './routes/networks.ts';
import { addScores, scores } from './routes/scores.ts';
import { networkState } from './chain/network-state.ts';
import { block } from './views/block.ts';
import { code } from './views/code.ts';
import { addRange, addView } from './routes/add-view.ts';
import { addBodyRoute, type BodyRoute } from './routes/body-route.ts';
import type { RangeView, View } from './views/view.ts';
import { nftBalance } from './views/nft-balance.ts';
import { nftOwner } from './views/nft-owner.ts';
import { portfolio } from './views/portfolio.ts';
import { supply } from './views/supply.ts';
import { vaultAssets } from './views/vault-assets.ts';
import { valueReads } from './views/value-reads.ts';
import { FEEDS_FILE, type Feed } from './feeds.ts';
import { walletChanges } from './views/wallet-changes.ts';
import { ByteBudget } from './rows/byte-budget.ts';

/** Settings of this service that an installation in one process has, too. */
export const BALANCE_SETTINGS = { FEEDS_FILE };

/** A new view is a file in views/ and a line here. */
const VIEWS: readonly View[] = [
  balanceSingle,
  balanceNative,
  allowanceSingle,
  allowanceList,
  portfolio,
  block,
  code,
  supply,
  nftOwner,
  nftBalance,
  vaultAssets,
  valueReads,
];

/** Questions about ranges; a new one is a file in views/ and a line here. */
const RANGES: readonly RangeView[] = [balanceSeries, balanceChanges, walletChanges, balanceStatement];
/** Questions with a body about one network. */
const BODY_ROUTES: readonly BodyRoute[] = [balanceReconcile, call, callSeries];

export const BALANCE_API: readonly ApiOperation[] = [
  ...VIEWS.map(({ operation }) => operation),
  balanceBatch,
  balanceSnapshot,
  ...RANGES.map(({ operation }) => operation),
  ...BODY_ROUTES.map(({ operation }) => operation),
  networks,
  blocks,
  networksBatch,
  scores,
];

/** A network that is served, and its own node. */
export interface ServedNetwork {
  readonly network: Network;
  readonly node: EthereumNode & Partial<Pick<Failover, 'health' | 'learn'>>;
}

export interface BalanceDeps extends Platform {
  /** The networks that this process serves; any other is a 404. */
  readonly networks: readonly ServedNetwork[];
  /** Keeps answers for all instances; they are kept in this process when not given. */
  readonly redis?: RedisStore | undefined;
  /** A file that keeps what is found of dates over restarts; in Redis where that is given. */
  readonly calendarFile?: string | undefined;
  /** The network with the names of all that have none of their own, where it is not served itself. */
  readonly registry?: ServedNetwork | undefined;
  /** Asked for names that are kept off-chain; such names are refused when not given. */
  readonly gateways?: CcipGateways | undefined;
  /** The operator's table of contracts that say what tokens are worth. */
  readonly feeds?: readonly Feed[];
  /** The holders service of a network, whose index saves searches of logs; undefined where there is none. */
  readonly holdersOf?: (network: string) => OtherService | undefined;
  /** Milliseconds for an answer of its: logs are searched after that. */
  readonly holdersWithinMs?: number;
  /** Milliseconds for a node's answer with logs: a node that takes longer is asked for fewer blocks. */
  readonly logsWithinMs?: number;
  /** Milliseconds for a request in all. */
  readonly deadlineMs?: number;
  /** The limit of each of the two memories: answers by URL, and answers by block. */
  readonly memoryBytes?: number;
  /** Bytes that the bodies of all snapshots may hold together. */
  readonly bodyBytes?: number;
  /** Bytes of the windows of all snapshots that are read and not yet taken. */
  readonly windowBytes?: number;
  /** Milliseconds after which a snapshot ends whose client neither sends nor takes anything. */
  readonly takenWithinMs?: number;
}

const DEADLINE_MS = 10_000;
const MEMORY_BYTES = 64 * 1024 * 1024;
const BODY_BYTES = 96 * 1024 * 1024;
const WINDOW_BYTES = 96 * 1024 * 1024;
const TAKEN_WITHIN_MS = 30_000;

/** Creates the balance service: a wallet's balances and allowances at any block. Not yet listening. */
export function createBalance(deps: BalanceDeps): HttpServer {
  const { networks: served, logger, ids, lifecycle, redis, telemetry } = deps;
  const { deadlineMs = DEADLINE_MS, memoryBytes = MEMORY_BYTES } = deps;
  const { bodyBytes = BODY_BYTES, windowBytes = WINDOW_BYTES, takenWithinMs = TAKEN_WITHIN_MS } = deps;
  refuseDuplicates(served);
  const app = createHttpServer({
    logger,
    ids,
    lifecycle,
    checks: [...nodesReadiness(served), ...(redis ? [redis.check] : [])],
    observed: telemetry && { service: 'balance', telemetry },
  });
  acceptBoundedJson(app, { maxValues: MAX_JSON_VALUES, expected: 'fewer or shorter rows' });
  const calendarOf = openCalendars(deps);
  const open = (one: ServedNetwork): Readers => openReaders(one, deps, calendarOf(one.network.name));
  const readers = served.map(open);
  const registry =
    readers.find(({ network }) => network.ensRegistries) ?? (deps.registry && open(deps.registry));
  const opened = readers.map((one) => openNetwork(one, deps, registry));
  const histories = new Map(opened.map(({ history }) => [history.network.name, history]));
  const many = new Map(opened.map(({ balances }) => [balances.network.name, balances]));
  const cache = redis ? createRedisCache(redis, logger) : createMemoryCache(memoryBytes);
  const keepImmutable = addImmutableAnswers(app, memoryBytes);
  const answers = new Answers({ cache, keepImmutable, deadlineMs });
  for (const view of VIEWS) addView(app, view, histories, answers);
  addBatches(app, many, deadlineMs);
  // Of their own: a window that waited for a body would keep the body before that from being read.
  const [budget, room] = [new ByteBudget(bodyBytes), new ByteBudget(windowBytes)];
  addBalanceSnapshot(app, many, { deadlineMs, takenWithinMs, budget, room });
  for (const range of RANGES) addRange(app, range, histories, answers);
  for (const route of BODY_ROUTES) addBodyRoute(app, route, histories, deadlineMs);
  const states = readers.map((one) => networkState(one, registry !== undefined));
  addNetworks(app, states, answers);
  addBlocks(app, [...histories.values()], answers, deadlineMs);
  addScores(app, histories, deadlineMs);
  return app;
}

/** Otherwise the last entry would silently replace the others. @throws {Error} for a network with two entries */
function refuseDuplicates(networks: readonly ServedNetwork[]): void {
  const names = networks.map(({ network }) => network.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new Error(`the network ${twice} is configured more than once; expected one node pool`);
}

/** The calendar of each network; none where nothing is kept. */
function openCalendars(deps: BalanceDeps): (network: string) => BlockCalendar | undefined {
  const { redis, calendarFile, lifecycle, logger } = deps;
  if (redis) return (network) => createRedisCalendar(redis, network, logger);
  if (calendarFile === undefined) return () => undefined;
  const database = openSqlite(calendarFile, CALENDAR_MIGRATIONS);
  lifecycle.onStop('calendar of blocks (SQLite)', () => database.close());
  return (network) => createSqliteCalendar(database, network, logger);
}

/** Readers of a network's blocks and state, and of the names that it has itself. */
interface Readers extends Registry {
  readonly node: ServedNetwork['node'];
  readonly known: KnownBlocks;
}

function openReaders(
  { network, node }: ServedNetwork,
  { clock, gateways }: BalanceDeps,
  calendar: BlockCalendar | undefined,
): Readers {
  const known = new KnownBlocks(clock);
  const reader = new ChainReader({ node, network, clock, known });
  const dates = new DateSearch({ node, network, clock, known, calendar });
  const names = new NameResolver({ reader, network, ...(gateways ? { gateways } : {}) });
  return { network, node, known, reader, dates, names };
}

/** Readers of a network: one question at a time, or many. */
function openNetwork(
  { network, node, known, reader, dates, names: own }: Readers,
  {
    clock,
    holdersOf,
    holdersWithinMs: withinMs,
    logsWithinMs,
    feeds = [],
    deadlineMs = DEADLINE_MS,
  }: BalanceDeps,
  registry: Registry | undefined,
) {
  const isOwn = registry === undefined || network.ensRegistries !== undefined;
  const names = isOwn ? own : new NamesElsewhere({ network, reader, registry, clock });
  const tokens = new TokenReader(reader, network);
  const logs = new LogSearch({ node, known, clock, answerMs: logsWithinMs });
  const service = holdersOf?.(network.name);
  const index = service && new EventIndex({ service, network: network.name, reader, withinMs });
  const rows = new TokenRowReader(reader, network);
  const wallets = new WalletReader({ reader, rows, logs, index, deadlineMs });
  const etherLogs = new EtherLogs({ node, network, known });
  const proofs = new ProofReader(node);
  const shared = { network, reader, tokens, proofs, names, dates };
  const history = createHistory({
    ...{ ...shared, wallets, logs, index, etherLogs, deadlineMs },
    feeds: feeds.filter((feed) => feed.network === network.name),
  });
  return { history, balances: createManyBalances(shared) };
}
