/** Every public route, and the service that answers it: the one place that says what the gateway lets through. */

import { MAX_JSON_ROWS, MAX_STREAMED_ROWS } from '@hindsight/api/row-units.ts';
import { seriesUnits } from './series-units.ts';
import { fixedUnits, lineUnits, pointUnits, rowUnits, type UnitsRule } from './units.ts';

/** A service behind the gateway. */
export type ServiceName = 'balance' | 'orders' | 'tokens';

/** One public route. HEAD follows GET. */
export interface PublicRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly service: ServiceName;
  /** It changes something; a POST may also just read. */
  readonly writes?: boolean;
  /** What a key needs to be allowed to do; `read` where nothing is said. */
  readonly scope?: 'read' | 'webhook';
  /** The most units that a request may cost; one where nothing is said. */
  readonly units?: UnitsRule;
  /** Its body is larger than others, so its length must be declared, and it must not be compressed. */
  readonly bulk?: BulkBody;
  /** Its answer has no end: it is passed on until one side leaves. */
  readonly endless?: boolean;
}

/** A body of many rows. */
export interface BulkBody {
  readonly maxBytes: number;
  /** Rows are answered while others still come: what they cost is counted as they pass. */
  readonly streams?: boolean;
}

const MIB = 1024 * 1024;
const JSON_ROWS: Pick<PublicRoute, 'units' | 'bulk'> = {
  units: rowUnits(MAX_JSON_ROWS),
  bulk: { maxBytes: MIB },
};
const SNAPSHOT: Pick<PublicRoute, 'units' | 'bulk'> = {
  units: lineUnits(MAX_STREAMED_ROWS),
  bulk: { maxBytes: 64 * MIB, streams: true },
};
/** They search the whole chain. */
const SEARCH_UNITS = fixedUnits(5);

/** The public API. */
export const PUBLIC_ROUTES: readonly PublicRoute[] = [
  { method: 'GET', path: '/v1/:network/balance/single', service: 'balance' },
  { method: 'GET', path: '/v1/:network/balance/native', service: 'balance' },
  { method: 'GET', path: '/v1/:network/allowance/single', service: 'balance' },
  { method: 'POST', path: '/v1/:network/balance/batch', service: 'balance', ...JSON_ROWS },
  { method: 'POST', path: '/v1/:network/balance/snapshot', service: 'balance', ...SNAPSHOT },
  { method: 'GET', path: '/v1/:network/balance/series', service: 'balance', units: seriesUnits },
  { method: 'GET', path: '/v1/:network/balance/changes', service: 'balance', units: pointUnits('limit') },
  { method: 'GET', path: '/v1/:network/allowance/list', service: 'balance', units: SEARCH_UNITS },
  { method: 'GET', path: '/v1/:network/portfolio', service: 'balance', units: SEARCH_UNITS },
  { method: 'POST', path: '/v1/:network/call', service: 'balance', ...JSON_ROWS },
  { method: 'GET', path: '/v1/:network/block', service: 'balance' },
  { method: 'GET', path: '/v1/:network/supply', service: 'balance' },
  { method: 'GET', path: '/v1/:network/nft/owner', service: 'balance' },
  { method: 'GET', path: '/v1/:network/nft/balance', service: 'balance' },
  { method: 'GET', path: '/v1/:network/vault/assets', service: 'balance' },
  { method: 'GET', path: '/v1/:network/token', service: 'tokens' },
  { method: 'GET', path: '/v1/:network/token/single', service: 'tokens' },
  { method: 'GET', path: '/v1/:network/tokens', service: 'tokens' },
  { method: 'GET', path: '/v1/:network/tokens/single', service: 'tokens' },
  {
    method: 'POST',
    path: '/v1/:network/orders/dex-webhook',
    service: 'orders',
    writes: true,
    scope: 'webhook',
  },
  { method: 'GET', path: '/v1/:network/orders/stream', service: 'orders', endless: true },
];

/** Whether a request's body is passed on as it comes, so that it may take longer than others. */
export function isStreamed(method: string, url: string): boolean {
  const [path = ''] = url.split('?', 1);
  return STREAMED.some((route) => route.method === method && route.matches.test(path));
}

/** A route's name, as usage is counted by it: `balance-single`. */
export function endpointOf({ path }: PublicRoute): string {
  return path.split('/').slice(3).join('-');
}

const STREAMED = PUBLIC_ROUTES.filter(({ bulk }) => bulk?.streams).map(({ method, path }) => ({
  method,
  matches: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
}));
