import { amountOf, formatUnits } from '../amount.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { decimalsOf } from './networks.ts';
import { readPages } from './pages.ts';
import { bound } from './series.ts';

type Page = components['schemas']['BalanceChanges'];
type WireChange = Page['changes'][number];

/** A change of a balance; null if the token did not answer then. */
export type BalanceChange = Omit<WireChange, 'balance_before' | 'balance_after' | 'unexplained'> & {
  readonly balance_before: bigint | null;
  readonly balance_after: bigint | null;
  /** The part of the change that the events do not explain. */
  readonly unexplained: bigint | null;
  /** An amount of it in whole tokens. */
  format(amount: bigint): string;
};

/** The blocks of a page, and the promise made for them. */
export interface ChangesPage {
  /** Its changes are after this block, */
  readonly from_block: number;
  /** up to this one. */
  readonly through_block: number;
  /** Of ether: whether every change is listed, each at its block. Undefined for a token. */
  readonly complete: boolean | undefined;
  /** With `resolve: 'each'`, the addresses that the name meant, each with its blocks. */
  readonly meanings?: Page['meanings'];
}

/** Whose balance of what, from when to when. */
export interface ChangesQuestion {
  /** The token contract, or `native` for ether. */
  readonly token: string;
  /** An address or an ENS name. */
  readonly holder: string;
  /** The block before the first change: its number, or a date. */
  readonly from: number | string | Date;
  /** The last block: its number, or a date. Default: the latest block */
  readonly to?: number | string | Date | undefined;
  /** A name is resolved `once`, at the last block (the default), or at the block of `each` change, which then has its `holder`. */
  readonly resolve?: 'once' | 'each' | undefined;
  /** Changes in a request: at most 1,000. Default: 100 */
  readonly pageSize?: number | undefined;
  /** Called with each page, before its changes. */
  readonly onPage?: ((page: ChangesPage) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Every change of a balance, oldest first, page after page; each page is a request, and all are up to the same block. */
export async function* balanceChanges(
  transport: Transport,
  { token, holder, from, to, resolve, pageSize = 100, onPage, signal }: ChangesQuestion,
): AsyncGenerator<BalanceChange, void> {
  const path = transport.pathTo('listBalanceChanges');
  const range = { from: bound(from), to: bound(to), limit: pageSize, resolve };
  const asked = { token_address: token, holder, ...range };
  const pages = readPages((cursor) => transport.json<Page>({ path, query: { ...asked, cursor }, signal }));
  for await (const page of pages) {
    const { from_block, through_block } = page;
    const decimals = await decimalsOf(page, transport, signal);
    const complete = 'complete' in page ? page.complete : undefined;
    onPage?.({ from_block, through_block, complete, meanings: page.meanings });
    for (const change of page.changes) yield toChange(change, decimals);
  }
}

/** A change as the client has it. */
export function toChange<W extends WireChange>(change: W, decimals: number | null) {
  return {
    ...change,
    balance_before: amountOf(change.balance_before),
    balance_after: amountOf(change.balance_after),
    unexplained: amountOf(change.unexplained),
    format: (amount: bigint): string => formatUnits(amount, decimals),
  };
}
