import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { bound } from './series.ts';

/** Books held against the chain, as the API answers it; amounts are decimal strings. */
export type Reconciliation = components['schemas']['Reconciliation'];

/** A balance as the books have it, in the smallest unit: at a block's number, or at a date. */
export interface BookedRow {
  readonly at: number | string | Date;
  readonly balance: bigint | string;
}

/** Whose balance of what, and what the books say. */
export interface ReconcileQuestion {
  /** The token contract, or `native` for ether. */
  readonly token: string;
  /** An address or an ENS name. */
  readonly holder: string;
  /** Up to 1,000, in any order. */
  readonly rows: readonly BookedRow[];
  readonly signal?: AbortSignal | undefined;
}

/** Holds booked balances against the chain, and finds what happened where they first differ. */
export function reconcile(
  transport: Transport,
  { token, holder, rows, signal }: ReconcileQuestion,
): Promise<Reconciliation> {
  const body = { token_address: token, holder, rows: rows.map(toWire) };
  return transport.json<Reconciliation>({
    method: 'POST',
    path: transport.pathTo('reconcileBalance'),
    body: { type: 'application/json', text: JSON.stringify(body) },
    signal,
  });
}

function toWire({ at, balance }: BookedRow): object {
  const when = bound(at);
  return { [typeof when === 'number' ? 'block_height' : 'date']: when, balance: String(balance) };
}
