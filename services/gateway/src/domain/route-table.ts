/** Every public route, and the service that answers it: the one place that says what the gateway lets through. */

/** A service behind the gateway. */
export type ServiceName = 'balance' | 'orders' | 'tokens';

/** One public route. HEAD follows GET. */
export interface PublicRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly service: ServiceName;
  /** It changes something; a POST may also just read. */
  readonly writes?: boolean;
}

/** The public API. */
export const PUBLIC_ROUTES: readonly PublicRoute[] = [
  { method: 'GET', path: '/v1/:network/balance/single', service: 'balance' },
  { method: 'GET', path: '/v1/:network/balance/native', service: 'balance' },
  { method: 'GET', path: '/v1/:network/allowance/single', service: 'balance' },
  { method: 'GET', path: '/v1/:network/allowance/list', service: 'balance' },
  { method: 'GET', path: '/v1/:network/portfolio', service: 'balance' },
  { method: 'GET', path: '/v1/:network/balance/changes', service: 'balance' },
  { method: 'GET', path: '/v1/:network/block', service: 'balance' },
  { method: 'GET', path: '/v1/:network/supply', service: 'balance' },
  { method: 'GET', path: '/v1/:network/nft/owner', service: 'balance' },
  { method: 'GET', path: '/v1/:network/nft/balance', service: 'balance' },
  { method: 'GET', path: '/v1/:network/vault/assets', service: 'balance' },
  { method: 'GET', path: '/v1/:network/balance/series', service: 'balance' },
  { method: 'POST', path: '/v1/:network/call', service: 'balance' },
  { method: 'GET', path: '/v1/:network/token', service: 'tokens' },
  { method: 'GET', path: '/v1/:network/token/single', service: 'tokens' },
  { method: 'GET', path: '/v1/:network/tokens', service: 'tokens' },
  { method: 'GET', path: '/v1/:network/tokens/single', service: 'tokens' },
  { method: 'POST', path: '/v1/:network/orders/dex-webhook', service: 'orders', writes: true },
];

/** A route's name, as usage is counted by it: `balance-single`. */
export function endpointOf({ path }: PublicRoute): string {
  return path.split('/').slice(3).join('-');
}
