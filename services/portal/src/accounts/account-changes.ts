import {
  canDoWithout,
  loginOf,
  loginOfEmail,
  withoutIdentity,
  type Account,
  type Offered,
} from '../domain/account.ts';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { INVALID_EMAIL, parseEmail } from '../domain/email.ts';
import { addressTakenEmail, farewellEmail, formerAddressEmail, newAddressEmail } from '../domain/emails.ts';
import type { UserProjects } from '../user-projects.ts';
import { changeAccount, dataOf, issue, notify, type AccountDeps } from './deps.ts';
import { endEverything } from './passwords.ts';
import { hashOf } from './secrets.ts';

interface Deps extends AccountDeps {
  readonly userProjects: Pick<UserProjects, 'suspendAll'>;
  readonly offered: Offered;
}

interface WaitingAddress {
  readonly userId: string;
  readonly email: string;
}

export type AccountChanges = ReturnType<typeof createAccountChanges>;

export function createAccountChanges(deps: Deps) {
  const { attempts, stores, mailer, clock, userProjects, offered } = deps;

  /** The pending change of a link, and its account; null if the link no longer works. */
  async function lookAtEmail(token: string): Promise<WaitingAddress | null> {
    const ticket = await stores.tickets.look('change-email', hashOf(token), clock.now());
    return ticket && dataOf<WaitingAddress>(ticket);
  }

  return {
    lookAtEmail,

    /** Emails a new address, which replaces the old one once confirmed. Resolves to the error, if any. */
    async askForEmail(account: Account, text: string, origin: string): Promise<string | undefined> {
      const email = parseEmail(text);
      if (email === null) return INVALID_EMAIL;
      if (email === account.email) return 'This is already your address.';
      await attempts.spend(['mail to', email], ['mail wanted from', account.id]);
      const data: WaitingAddress = { userId: account.id, email };
      await stores.tickets.drop('change-email', account.id);
      const wish = { kind: 'change-email', owner: account.id, lifeMs: DAY_MS, data } as const;
      const secret = await issue(deps, wish);
      const existing = await stores.accounts.findByLogin(loginOfEmail(email));
      const link = `${origin}/verify?token=${secret}`;
      mailer.post({ to: email, ...(existing === null ? newAddressEmail(link) : addressTakenEmail(origin)) });
      return undefined;
    },

    /** The address that is not confirmed yet. */
    async waitingEmail(userId: string): Promise<string | null> {
      const ticket = await stores.tickets.latest('change-email', userId, clock.now());
      return ticket && dataOf<WaitingAddress>(ticket).email;
    },

    /** Replaces the address with the confirmed one, for the user who requested it only. */
    async confirmEmail(user: Account, token: string): Promise<'done' | 'invalid'> {
      const waiting = await lookAtEmail(token);
      if (waiting?.userId !== user.id) return 'invalid';
      if ((await stores.tickets.take('change-email', hashOf(token), clock.now())) === null) return 'invalid';
      let former = null as string | null;
      const outcome = await changeAccount(stores, user, (account) => {
        former = account.email;
        return { ...account, email: waiting.email };
      });
      if (typeof outcome === 'string') return 'invalid';
      // Links in the former mailbox must no longer open the account.
      await stores.tickets.drop('reset', user.id);
      if (former !== null) mailer.post({ to: former, ...formerAddressEmail() });
      return 'done';
    },

    /**
     * Unlinks an identity. Resolves to the account without it. @param login the identity's name by `loginOf`
     */
    async unlink(user: Account, login: string, origin: string): Promise<Account | 'last' | 'unknown'> {
      let refused = null as 'last' | 'unknown' | null;
      const changed = await changeAccount(stores, user, (account) => {
        const identity = account.identities.find((each) => loginOf(each) === login);
        refused =
          identity === undefined ? 'unknown' : canDoWithout(account, identity, offered) ? null : 'last';
        if (identity === undefined || refused !== null) return null;
        // Ends the sessions that were opened with it.
        return { ...withoutIdentity(account, identity), epoch: account.epoch + 1 };
      });
      if (refused !== null || typeof changed === 'string') return refused ?? 'unknown';
      await stores.sessions.removeAll(user.id);
      notify(deps, changed.email, 'A linked sign-in was removed', origin);
      return changed;
    },

    /** Ends every session, including this one. */
    async signOutEverywhere(userId: string): Promise<void> {
      await changeAccount(stores, { id: userId }, (account) => ({ ...account, epoch: account.epoch + 1 }));
      await endEverything(deps, userId);
    },

    /** Suspends the projects, then deletes the account: after a failure in between, it can be deleted again. */
    async remove(account: Account, client: string): Promise<void> {
      await userProjects.suspendAll({ userId: account.id, address: client });
      await stores.accounts.remove(account.id);
      await endEverything(deps, account.id);
      // Repeated: another tab may have created a project since.
      await userProjects.suspendAll({ userId: account.id, address: client });
      if (account.email !== null) mailer.post({ to: account.email, ...farewellEmail() });
    },
  };
}
