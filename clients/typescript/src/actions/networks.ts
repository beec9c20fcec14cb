/** Questions over all networks. */
import { NotFound, ServerError } from '../errors.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import type { Asking } from './plain.ts';

/** A network that is served; one whose nodes are unavailable has an `error` in place of its blocks. */
export type NetworkEntry = components['schemas']['Networks']['networks'][number];
/** A network's own coin: what `native` means there. */
export type NativeCoin = NonNullable<NetworkEntry['native_coin']>;
/** A network's block, or the `error` why there is none. */
export type BlockEntry = components['schemas']['Blocks']['blocks'][number];
/** A moment. */
export interface BlocksQuestion extends Asking {
  /** An ISO 8601 date, in UTC if it names no zone. */
  readonly date: string;
}

/** The networks that are served. */
export async function listNetworks(
  transport: Transport,
  signal?: AbortSignal,
): Promise<readonly NetworkEntry[]> {
  const path = transport.pathTo('listNetworks');
  return (await transport.json<components['schemas']['Networks']>({ path, signal })).networks;
}

/** The last block of each network at or before a moment. */
export async function blocksAt(
  transport: Transport,
  { date, signal }: BlocksQuestion,
): Promise<readonly BlockEntry[]> {
  const path = transport.pathTo('getBlocksAtDate');
  return (await transport.json<components['schemas']['Blocks']>({ path, query: { date }, signal })).blocks;
}

const ETHER: NativeCoin = { symbol: 'ETH', decimals: 18 };

/**
 * A network's own coin: of mainnet without a request, of any other by one to the list of networks, which is kept.
 * @throws {NotFound} where the network is not served
 * @throws {ServerError} where its process has not answered yet
 */
export async function nativeCoin(
  transport: Transport,
  signal?: AbortSignal,
  network = transport.network,
): Promise<NativeCoin> {
  if (network === 'eth-mainnet') return ETHER;
  const { coins } = transport;
  if (!coins.has(network)) {
    for (const { network_name: name, native_coin: coin, ...entry } of await listNetworks(transport, signal)) {
      if (coin !== undefined) coins.set(name, coin);
      else if (name === network && 'error' in entry)
        throw new ServerError({ ...entry.error, status: entry.error.statusCode });
    }
  }
  const coin = coins.get(network);
  if (coin !== undefined) return coin;
  const message = `The network ${network} is not served here; served: ${[...coins.keys()].join(', ')}`;
  throw new NotFound({ status: 404, code: 'unknown_network', message });
}

/** The decimals of an answer's amounts: those of its token, or without one of the native coin. */
export async function decimalsOf(
  answer: { readonly holder: string; readonly token_decimals?: number | null },
  transport: Transport,
  signal?: AbortSignal,
): Promise<number | null> {
  const { token_decimals: decimals } = answer;
  return decimals === undefined ? (await nativeCoin(transport, signal)).decimals : decimals;
}
