import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { toChange, type BalanceChange, type ChangesQuestion } from './changes.ts';
import { readPages } from './pages.ts';
import { bound } from './series.ts';

type Page = components['schemas']['WalletChanges'];

/** A change of one of a wallet's balances: of a token, or of ether (`native`), which has no symbol here. */
export type WalletChange = BalanceChange & { readonly token_address: string; readonly token_symbol: string };

/** Whose balances of what, from when to when. */
export interface WalletChangesQuestion extends Omit<ChangesQuestion, 'token' | 'resolve'> {
  /** Up to 10 token contracts, `native` for ether among them. Default: ether, and the tokens held at either end */
  readonly tokens?: readonly string[] | undefined;
  /** Called once where no tokens are named, with those that were left out. */
  readonly onChosen?: ((chosen: NonNullable<Page['chosen']>) => void) | undefined;
}

/** Every change of several balances, oldest first, page after page; all pages are up to the same block. */
export async function* walletChanges(
  transport: Transport,
  { tokens, holder, from, to, pageSize = 100, onPage, onChosen, signal }: WalletChangesQuestion,
): AsyncGenerator<WalletChange, void> {
  const asked = { holder, from: bound(from), to: bound(to), limit: pageSize };
  const path = transport.pathTo('listWalletChanges');
  /** The tokens of the first page: those of the next ones, too, whatever would be chosen by then. */
  let named = tokens?.join(',');
  const pages = readPages((cursor) =>
    transport.json<Page>({ path, query: { ...asked, token_address: named, cursor }, signal }),
  );
  let isFirst = true;
  for await (const page of pages) {
    const { from_block, through_block } = page;
    const complete = page.tokens.find((token) => token.token_address === 'native')?.complete;
    if (isFirst && page.chosen) onChosen?.(page.chosen);
    isFirst = false;
    onPage?.({ from_block, through_block, complete });
    named = page.tokens.map((token) => token.token_address).join(',');
    const byAddress = new Map(page.tokens.map((token) => [token.token_address, token]));
    for (const change of page.changes) {
      const { token_symbol = '', token_decimals = null } = byAddress.get(change.token_address) ?? {};
      yield { ...toChange(change, token_decimals), token_symbol };
    }
  }
}
