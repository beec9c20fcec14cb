import type { components } from '../openapi.ts';
import type { ApiError } from '../errors.ts';
import { InvalidAnswer } from '../errors.ts';
import { rowErrorOf } from '../row-error.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';
import { nativeCoin } from './networks.ts';
import { toBalance, toNative, type AnyBalance } from './reads.ts';

type Wire = components['schemas']['BalanceBatch'][number];

/** Rows in a request. */
const MAX_ROWS = 1_000;

/** A row of a batch: holder, token and block. */
export interface BatchRow extends When {
  /** The row's network; the client's if not given. */
  readonly network?: string | undefined;
  /** The token contract, or `native` for ether. */
  readonly token: string;
  /** An address or an ENS name. */
  readonly holder: string;
}

/**
 * Many balances, each at any block: an answer or an error for each row, in their order. More rows than a
 * request takes are sent in several; rows without a block may then be about different latest blocks.
 */
export async function balanceBatch(
  transport: Transport,
  rows: readonly BatchRow[],
  signal?: AbortSignal,
): Promise<(AnyBalance | ApiError)[]> {
  const answers: (AnyBalance | ApiError)[] = [];
  for (let at = 0; at < rows.length; at += MAX_ROWS) {
    const part = rows.slice(at, at + MAX_ROWS);
    const isOfOne = part.every(({ network = transport.network }) => network === transport.network);
    const toRow = isOfOne ? toWire : (row: BatchRow): object => toNetworkWire(row, transport.network);
    const wire = await transport.json<Wire[]>({
      method: 'POST',
      path: transport.pathTo(isOfOne ? 'getBalanceBatch' : 'getNetworksBalanceBatch'),
      body: { type: 'application/json', text: JSON.stringify(part.map(toRow)) },
      signal,
    });
    if (wire.length !== part.length) throw new InvalidAnswer(`${wire.length} answers to ${part.length} rows`);
    // In turn: the first asks for all coins.
    for (const row of wire) answers.push(await toAnswer(row, transport, signal));
  }
  return answers;
}

const toWire = (row: BatchRow): object => ({
  token_address: row.token,
  holder: row.holder,
  ...whenParams(row),
});

const toNetworkWire = (row: BatchRow, network: string): object => ({
  network: row.network ?? network,
  ...toWire(row),
});

async function toAnswer(
  row: Wire,
  transport: Transport,
  signal?: AbortSignal,
): Promise<AnyBalance | ApiError> {
  if ('error' in row) return rowErrorOf(row.error);
  if ('token_address' in row) return toBalance(row);
  return toNative(row, await nativeCoin(transport, signal, row.network_name));
}
