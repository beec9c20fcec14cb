/**
 * The public API: every operation, with all that belongs to the API and not to the service that answers it. Services take
 * their paths from this table, the gateway its routes and their prices. Schemas and descriptions stay with the service. A new
 * operation is one entry.
 */
import { MAX_POINTS, POINTS_PER_UNIT } from './series-grid.ts';
import {
  largestUnits,
  MAX_EXPORTED,
  MAX_HOLDERS_READ,
  MAX_JSON_ROWS,
  MAX_ORDERS,
  MAX_STREAMED_ROWS,
  ROWS_PER_UNIT,
  type UnitsRule,
} from './units.ts';

/** A service that answers: one behind the gateway, or the gateway itself. */
export type ServiceName = 'balance' | 'tokens' | 'holders' | 'orders' | 'gateway';

/** The certainty of an answer, in the words of the reference. */
export const CERTAINTIES = {
  /** Said by contracts and accounts at that block. */
  state: 'exact from state',
  /** Events say what there is; only what they name is read. */
  logs: 'named by logs',
  /** Looked for within bounds, which the answer names. */
  search: 'bounded search',
} as const;
type Certainty = keyof typeof CERTAINTIES;

/** A body of many rows: its length must be declared, and it must not be compressed. */
interface BulkBody {
  readonly maxBytes: number;
  /** Rows are answered while others still come: what they cost is counted as they pass. */
  readonly streams?: boolean;
}

interface OperationFacts {
  readonly method: 'GET' | 'POST';
  /** As a server has it: `/v1/:network/token`. HEAD follows GET. An operation about no one network has none in it. */
  readonly path: string;
  /** Other paths with the same answers, counted as the same operation. */
  readonly aliases?: readonly string[];
  readonly service: ServiceName;
  /** The right that a key needs; `read` where nothing is said. */
  readonly scope?: 'read' | 'webhook' | 'usage';
  /** It changes something; a POST may also just read. */
  readonly writes?: boolean;
  /** Its price; one unit where nothing is said. */
  readonly units?: UnitsRule;
  readonly bulk?: BulkBody;
  /** Its answer may be long: a reader holds a place of its project until all of it is taken. */
  readonly long?: boolean;
  /** The certainty of its answer: exact from state if not set; null where it is not about the chain's past. */
  readonly certainty?: Certainty | null;
  /** The name that its usage is counted by, where its path gives one that another operation has. */
  readonly endpoint?: string;
  /** Its answer has no end: it is passed on until one side leaves. */
  readonly endless?: boolean;
}

export interface Operation extends OperationFacts {
  /** In camel case, unique; names of functions in generated clients. */
  readonly operationId: string;
}

const MIB = 1024 * 1024;
/** A signature and the arguments of one call. */
const ONE_CALL_BYTES = 64 * 1024;
const JSON_ROWS = {
  method: 'POST',
  units: { by: 'rows', perUnit: ROWS_PER_UNIT, most: MAX_JSON_ROWS },
  bulk: { maxBytes: MIB },
} as const;
/** Each row is a point of a series. */
const BOOKS = { ...JSON_ROWS, units: { ...JSON_ROWS.units, perUnit: POINTS_PER_UNIT } } as const;
/** Each of 1,000 addresses with each of ten strategies; a body has more bytes of both than three for each score. */
const SCORES = { ...JSON_ROWS, units: { ...JSON_ROWS.units, most: 10 * MAX_JSON_ROWS } } as const;
const SNAPSHOT = {
  method: 'POST',
  units: { by: 'lines', perUnit: ROWS_PER_UNIT, most: MAX_STREAMED_ROWS },
  bulk: { maxBytes: 64 * MIB, streams: true },
} as const;
/** It searches the whole chain, or makes many calls. */
const SEARCH = { by: 'request', units: 5 } as const;
const SERIES = { by: 'points', perUnit: POINTS_PER_UNIT, most: MAX_POINTS } as const;
const PAGE = { by: 'limit', perUnit: 10, most: 1_000 } as const;
const PAGE_OF_NAME = { ...PAGE, each: 'meaning' } as const;
/** The same for each of its tokens. */
const PAGE_EACH = { ...PAGE, each: 'token' } as const;
const ROWS_OF_LIST = { by: 'limit', perUnit: ROWS_PER_UNIT, most: MAX_JSON_ROWS } as const;
const FREE = { by: 'request', units: 0 } as const;

/** An operation's usual facts, by the service that answers it and the certainty of its answer. */
const BALANCE = { method: 'GET', service: 'balance' } as const;
const BY_LOGS = { ...BALANCE, certainty: 'logs' } as const;
const BY_SEARCH = { ...BALANCE, certainty: 'search' } as const;
const TOKENS = { method: 'GET', service: 'tokens', certainty: 'logs' } as const;
const HOLDERS = { method: 'GET', service: 'holders', certainty: 'logs' } as const;
const ORDERS = { method: 'GET', service: 'orders', certainty: null } as const;

/** Each operation by its id, in the order of the document. */
export const OPERATIONS = withIds({
  getTokenBalance: { ...BALANCE, path: '/v1/:network/balance/single' },
  getNativeBalance: { ...BALANCE, path: '/v1/:network/balance/native' },
  getTokenAllowance: { ...BALANCE, path: '/v1/:network/allowance/single' },
  listTokenAllowances: { ...BY_LOGS, path: '/v1/:network/allowance/list', units: SEARCH },
  getPortfolio: { ...BY_LOGS, path: '/v1/:network/portfolio', units: SEARCH },
  getBlock: { ...BALANCE, path: '/v1/:network/block' },
  getCode: { ...BALANCE, path: '/v1/:network/code' },
  getTokenSupply: { ...BALANCE, path: '/v1/:network/supply' },
  getNftOwner: { ...BALANCE, path: '/v1/:network/nft/owner' },
  getNftBalance: { ...BALANCE, path: '/v1/:network/nft/balance' },
  getVaultAssets: { ...BALANCE, path: '/v1/:network/vault/assets' },
  getValueReads: { ...BALANCE, path: '/v1/:network/value/reads', units: SEARCH },
  getBalanceBatch: { ...BALANCE, ...JSON_ROWS, path: '/v1/:network/balance/batch' },
  getBalanceSnapshot: { ...BALANCE, ...SNAPSHOT, path: '/v1/:network/balance/snapshot' },
  getBalanceSeries: { ...BALANCE, path: '/v1/:network/balance/series', units: SERIES },
  listBalanceChanges: { ...BY_SEARCH, path: '/v1/:network/balance/changes', units: PAGE_OF_NAME },
  listWalletChanges: { ...BY_SEARCH, path: '/v1/:network/wallet/changes', units: PAGE_EACH },
  getBalanceStatement: { ...BY_LOGS, path: '/v1/:network/balance/statement', units: SERIES },
  reconcileBalance: { ...BY_SEARCH, ...BOOKS, path: '/v1/:network/balance/reconcile' },
  callView: { ...BALANCE, ...JSON_ROWS, path: '/v1/:network/call' },
  getCallSeries: {
    ...BALANCE,
    method: 'POST',
    path: '/v1/:network/call/series',
    units: SERIES,
    bulk: { maxBytes: ONE_CALL_BYTES },
  },
  listNetworks: { ...BALANCE, path: '/v1/networks' },
  getBlocksAtDate: { ...BALANCE, path: '/v1/blocks' },
  getNetworksBalanceBatch: {
    ...BALANCE,
    ...JSON_ROWS,
    path: '/v1/balance/batch',
    endpoint: 'networks-balance-batch',
  },
  getScores: { ...BALANCE, ...SCORES, path: '/v1/scores', aliases: ['/api/scores'] },
  listTokens: { ...TOKENS, path: '/v1/:network/token', aliases: ['/v1/:network/tokens'] },
  getToken: { ...TOKENS, path: '/v1/:network/token/single', aliases: ['/v1/:network/tokens/single'] },
  listTokenHolders: { ...HOLDERS, path: '/v1/:network/token/holders', units: { by: 'holders' }, long: true },
  exportTokenHolders: {
    ...HOLDERS,
    method: 'POST',
    path: '/v1/:network/token/holders/export',
    units: { by: 'limit', perUnit: ROWS_PER_UNIT, most: MAX_EXPORTED },
    long: true,
  },
  getHolderSeries: {
    ...HOLDERS,
    path: '/v1/:network/token/holders/series',
    units: { by: 'request', units: largestUnits(MAX_HOLDERS_READ) },
  },
  listTransfers: { ...HOLDERS, path: '/v1/:network/transfers', units: ROWS_OF_LIST },
  submitOrder: {
    ...ORDERS,
    method: 'POST',
    path: '/v1/:network/orders/dex-webhook',
    writes: true,
    scope: 'webhook',
  },
  streamOrders: { ...ORDERS, path: '/v1/:network/orders/stream', endless: true },
  // Words are no hashes: other routes have them.
  getOrder: { ...ORDERS, path: '/v1/:network/orders/:orderHash(^0x.*$)', endpoint: 'orders-single' },
  listOrders: { ...ORDERS, path: '/v1/:network/orders', units: { ...ROWS_OF_LIST, most: MAX_ORDERS } },
  getUsage: {
    method: 'GET',
    path: '/v1/usage',
    service: 'gateway',
    certainty: null,
    scope: 'usage',
    units: FREE,
  },
});

/** The same as a list. */
export const ALL_OPERATIONS: readonly Operation[] = Object.values(OPERATIONS);

/** Puts each operation's id into it. */
function withIds<const T extends Readonly<Record<string, OperationFacts>>>(
  facts: T,
): { readonly [Id in keyof T & string]: T[Id] & { readonly operationId: Id } } {
  const named = Object.entries(facts).map(([operationId, one]) => [operationId, { ...one, operationId }]);
  return Object.fromEntries(named) as { [Id in keyof T & string]: T[Id] & { operationId: Id } };
}

export function pathsOf({ path, aliases = [] }: Operation): readonly string[] {
  return [path, ...aliases];
}

/** The methods of HTTP that an operation answers. */
export function methodsOf({ method }: Operation): readonly ('GET' | 'HEAD' | 'POST')[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** True if a body is read as it comes, so that it may take longer than others. @param url a path, with its query or not */
export function isStreamed(method: string, url: string): boolean {
  const [path = ''] = url.split('?', 1);
  return STREAMED.some((one) => one.method === method && one.matches.test(path));
}

const STREAMED = ALL_OPERATIONS.filter(({ bulk }) => bulk?.streams).flatMap((operation) =>
  pathsOf(operation).map((path) => ({
    method: operation.method,
    matches: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  })),
);

/** The name by which an operation's usage is counted: `balance-single`. */
export function endpointOf({ path, endpoint }: Operation): string {
  return endpoint ?? nameOf(path);
}

/** The name by which usage is shown: what was counted by an alias, as earlier versions did, is its operation's. */
export function shownEndpoint(counted: string): string {
  return FORMER_NAMES.get(counted) ?? counted;
}

const FORMER_NAMES = new Map(
  ALL_OPERATIONS.flatMap((operation) =>
    (operation.aliases ?? []).map((alias): [string, string] => [nameOf(alias), endpointOf(operation)]),
  ),
);

/** A path without its version and its network. */
function nameOf(path: string): string {
  return path
    .split('/')
    .slice(2)
    .filter((part) => part !== '' && !part.startsWith(':'))
    .join('-');
}
