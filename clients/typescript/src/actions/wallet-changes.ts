import { formatUnits } from '../amount.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { amountOf, type BalanceChange, type ChangesQuestion } from './changes.ts';
import { bound } from './series.ts';

type Page = components['schemas']['WalletChanges'];

/** A change of one of a wallet's balances: of a token, or of ether (`native`). */
export type WalletChange = BalanceChange & { readonly token_address: string };

/** Whose balances of what, from when to when. */
export interface WalletChangesQuestion extends Omit<ChangesQuestion, 'token' | 'onPage'> {
  /** Up to 10 token contracts, `native` for ether among them. */
  readonly tokens: readonly string[];
}

/** Every change of several balances, oldest first, page after page; all pages are up to the same block. */
export async function* walletChanges(
  transport: Transport,
  { tokens, holder, from, to, pageSize = 100, signal }: WalletChangesQuestion,
): AsyncGenerator<WalletChange, void> {
  const asked = {
    token_address: tokens.join(','),
    holder,
    from: bound(from),
    to: bound(to),
    limit: pageSize,
  };
  let cursor: string | undefined;
  do {
    const path = transport.pathTo('listWalletChanges');
    const page = await transport.json<Page>({ path, query: { ...asked, cursor }, signal });
    const decimals = new Map(page.tokens.map((token) => [token.token_address, token.token_decimals]));
    for (const change of page.changes)
      yield {
        ...change,
        balance_before: amountOf(change.balance_before),
        balance_after: amountOf(change.balance_after),
        unexplained: amountOf(change.unexplained),
        format: (amount) => formatUnits(amount, decimals.get(change.token_address) ?? null),
      };
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}
