import type { Platform } from '@hindsight/kernel/platform.ts';
import type { StorePlace } from '@hindsight/stores/place.ts';
import { resetPath } from './accounts/passwords.ts';
import { areOfOneBrowser, createAccount } from './accounts/sign-ups.ts';
import { openAccountStores } from './adapters/open-accounts.ts';
import { loginOfEmail, type Account } from './domain/account.ts';
import { parseEmail } from './domain/email.ts';

export type AccountAdmin = Awaited<ReturnType<typeof openAccountAdmin>>;

/** Work of an operator for people whose emails do not arrive. All methods throw `StoreUnavailable`. */
export async function openAccountAdmin(
  store: StorePlace,
  { clock, ids, lifecycle }: Pick<Platform, 'clock' | 'ids' | 'lifecycle'>,
) {
  const stores = await openAccountStores(store, lifecycle);
  const deps = { stores, clock, ids };
  return {
    exists: async (id: string) => (await stores.accounts.find(id)) !== null,
    /** Up to `limit` accounts in the order of their ids, those after `after` only. */
    list: (after: string, limit: number) => stores.accounts.list(after, limit),
    /**
     * Creates the account of a sign-up that waits for its link; null if none waits, or the address has an account. Where
     * several browsers wait, anyone may have chosen the latest password: the account has none.
     */
    async confirm(text: string): Promise<Account | null> {
      const email = parseEmail(text);
      const waiting = email ? await stores.tickets.waiting('sign-up', email, clock.now()) : [];
      const [latest] = waiting;
      return latest ? createAccount(deps, latest, areOfOneBrowser(waiting)) : null;
    },
    /** The path of a link that sets a password, once, within an hour; null if the address has no account. */
    async reset(text: string): Promise<string | null> {
      const email = parseEmail(text);
      const account = email && (await stores.accounts.findByLogin(loginOfEmail(email)));
      return email && account ? resetPath(deps, email, account.id) : null;
    },
  };
}
