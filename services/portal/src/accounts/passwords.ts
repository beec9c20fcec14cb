import { addressBlock } from '@hindsight/http/address-block.ts';
import { loginOfEmail, type Account } from '../domain/account.ts';
import { HOUR_MS } from '@hindsight/kernel/durations.ts';
import { INVALID_EMAIL, parseEmail } from '../domain/email.ts';
import { resetEmail } from '../domain/emails.ts';
import { faultOfPassword, MAX_PASSWORD_LENGTH } from '../domain/password.ts';
import {
  changeAccount,
  dataOf,
  issue,
  notify,
  type AccountDeps,
  type AccountOrId,
  type FieldFaults,
  type Sender,
} from './deps.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import { hashOf } from './secrets.ts';

type Place = Pick<Sender, 'address' | 'origin'>;

interface ResetData {
  /** Null if the address has no account. */
  readonly userId: string | null;
  /** The address that the link was sent to. */
  readonly email: string;
}

interface Deps extends AccountDeps {
  readonly browsers: Pick<KnownBrowsers, 'nameOf'>;
}

export type PasswordSignIn = ReturnType<typeof createPasswordSignIn>;

/** Signing in with email and password, resetting and changing the password. */
export function createPasswordSignIn(deps: Deps) {
  const { attempts, stores, passwords, mailer, clock, browsers } = deps;

  async function set(owner: AccountOrId, passwordHash: string, origin: string): Promise<Account | null> {
    const changed = await changeAccount(stores, owner, (account) => ({
      ...account,
      passwordHash,
      epoch: account.epoch + 1,
    }));
    if (typeof changed === 'string') return null;
    await endEverything(deps, owner.id);
    notify(deps, changed.email, 'Your Hindsight password was changed', origin);
    return changed;
  }

  return {
    /**
     * The account, or null: the same answer after the same time for a wrong password and for an unknown account.
     * @param known the device cookie; a browser with one of this account has a limit of its own
     */
    async signIn(
      form: { email: string; password: string },
      { address, known }: { readonly address: string; readonly known: string | undefined },
    ): Promise<Account | null> {
      const email = parseEmail(form.email) ?? '';
      const place = addressBlock(address);
      const browser = browsers.nameOf(known, email);
      const counted = [
        ['sign-in from', place],
        ['sign-in from to', `${place} ${email}`],
        ['sign-in to', browser === undefined ? email : `${email} ${browser}`],
      ] as const;
      await attempts.spend(...counted);
      const account = await stores.accounts.findByLogin(loginOfEmail(email));
      const password = form.password.slice(0, MAX_PASSWORD_LENGTH + 1);
      const matches = await passwords.matches(password, account?.passwordHash ?? null);
      if (account === null || !matches) return null;
      await attempts.forgive(...counted);
      return account;
    },

    /**
     * Emails a reset link if the address has an account; does not reveal whether it has. Resolves to the form's errors,
     * undefined if there are none.
     */
    async forgot(text: string, { address, origin }: Place): Promise<FieldFaults | undefined> {
      await attempts.spend(['mail wanted from', addressBlock(address)]);
      const email = parseEmail(text);
      if (email === null) return { email: INVALID_EMAIL };
      await attempts.spend(['mail to', email]);
      const account = await stores.accounts.findByLogin(loginOfEmail(email));
      // An unknown address gets a ticket too, so that both take the same time.
      const path = await resetPath(deps, email, account?.id ?? null);
      if (account !== null) mailer.post({ to: email, ...resetEmail(origin + path) });
      return undefined;
    },

    async canReset(token: string): Promise<boolean> {
      return (await stores.tickets.look('reset', hashOf(token), clock.now())) !== null;
    },

    /** Sets the password, once per link, and ends all sessions of the account. Resolves to it. */
    async reset(
      { token, password }: { token: string; password: string },
      origin: string,
    ): Promise<Account | 'invalid' | { fault: string }> {
      const hash = hashOf(token);
      const ticket = await stores.tickets.look('reset', hash, clock.now());
      const data = ticket && dataOf<ResetData>(ticket);
      const account = data?.userId ? await stores.accounts.find(data.userId) : null;
      // If the address has changed since, the former mailbox must not open the account.
      if (account === null || account.email !== data?.email) return 'invalid';
      const fault = faultOfPassword(password, account.email);
      if (fault !== undefined) return { fault };
      const passwordHash = await passwords.hash(password);
      if ((await stores.tickets.take('reset', hash, clock.now())) === null) return 'invalid';
      return (await set({ id: account.id }, passwordHash, origin)) ?? 'invalid';
    },

    /**
     * Changes the password of a signed-in user and ends all sessions. Resolves to the account, to sign this browser in
     * again.
     */
    async change(
      account: Account,
      form: { current: string; password: string },
      origin: string,
    ): Promise<Account | { field: 'current' | 'password'; fault: string }> {
      if (account.email === null) {
        return { field: 'password', fault: 'Add an email address first. You sign in with both.' };
      }
      if (account.passwordHash !== null) {
        await attempts.spend(['password of', account.id]);
        const current = form.current.slice(0, MAX_PASSWORD_LENGTH + 1);
        if (!(await passwords.matches(current, account.passwordHash)))
          return { field: 'current', fault: 'This is not your current password.' };
        await attempts.forgive(['password of', account.id]);
      }
      const fault = faultOfPassword(form.password, account.email);
      if (fault !== undefined) return { field: 'password', fault };
      const changed = await set(account, await passwords.hash(form.password), origin);
      return changed ?? { field: 'password', fault: 'You have been signed out. Nothing has changed.' };
    },
  };
}

/** Makes the link by which the reader of an address sets a password, once, within an hour. @returns its path */
export async function resetPath(
  deps: Pick<AccountDeps, 'stores' | 'clock' | 'ids'>,
  email: string,
  userId: string | null,
): Promise<string> {
  const data: ResetData = { userId, email };
  const owner = userId ?? deps.ids.next();
  return `/reset?token=${await issue(deps, { kind: 'reset', owner, lifeMs: HOUR_MS, data })}`;
}

/** Removes an account's sessions and its pending links: an intruder may have requested them. */
export async function endEverything({ stores }: Pick<AccountDeps, 'stores'>, userId: string): Promise<void> {
  await stores.sessions.removeAll(userId);
  await stores.tickets.drop('reset', userId);
  await stores.tickets.drop('change-email', userId);
}
