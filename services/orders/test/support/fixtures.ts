import { readFileSync } from 'node:fs';

/** A body as the exchange sends it. */
export interface SentBody {
  readonly orderHash: string;
  readonly createdAt: number;
  readonly signature: string;
  readonly encodedOrder: string;
  readonly chainId: number;
  readonly type: string;
  readonly filler?: string;
  readonly quoteId?: string;
  readonly offerer: string;
  readonly orderStatus: 'open';
}

/** A signed order that was valid at a time; `erc1271` marks the contract wallet's. */
export interface SignedOrder {
  readonly title: string;
  /** True for an order that was found in public; others were made, each for a shape of its own. */
  readonly isFound: boolean;
  readonly network: string;
  /** Unix seconds. */
  readonly validAt: number;
  readonly digest: string;
  readonly erc1271?: { readonly wallet: string };
  readonly body: SentBody;
}

/** A request that must not be believed. */
export interface HostileCase {
  readonly name: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly bodyRecipe?: unknown;
  /** Unix seconds. */
  readonly now: number;
  readonly expect: { readonly status: readonly number[]; readonly publish: number | string };
}

const PATHS: Readonly<Record<string, string>> = {
  mainnet: 'eth-mainnet',
  arbitrum: 'arb-mainnet',
  base: 'base-mainnet',
};

function read(name: string): unknown {
  const file = new URL(`../../../../tests/fixtures/uniswapx/${name}`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

interface RawOrder extends Omit<SignedOrder, 'title' | 'isFound'> {
  readonly name?: string;
  readonly permit2Digest?: string;
}

/** All signed orders: found in public repositories, and made for the tests. */
export function signedOrders(): SignedOrder[] {
  const { real, local } = read('orders.json') as { real: RawOrder[]; local: RawOrder[] };
  return [...real, ...local].map((order) => ({
    ...order,
    isFound: real.includes(order),
    title: order.name ?? `${order.body.type} ${order.body.orderHash.slice(0, 10)}`,
    network: PATHS[order.network] ?? order.network,
    digest: order.permit2Digest ?? order.digest,
  }));
}

/** All hostile requests. */
export function hostileCases(): HostileCase[] {
  return (read('hostile-orders.json') as { cases: HostileCase[] }).cases;
}
