import { addressBlock } from '@hindsight/http/address-block.ts';
import { loginOfEmail, newAccount, type Account } from '../domain/account.ts';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { INVALID_EMAIL, parseEmail } from '../domain/email.ts';
import { existingAccountEmail, confirmationEmail } from '../domain/emails.ts';
import { faultOfPassword } from '../domain/password.ts';
import {
  dataOf,
  issue,
  type AccountDeps,
  type Sender,
  type FieldFaults,
  type ReturningSender,
} from './deps.ts';
import type { Ticket } from '../ports.ts';
import { hashOf } from './secrets.ts';

interface SignUpForm {
  readonly email: string;
  readonly password: string;
  readonly next: string;
}

interface WaitingSignUp {
  readonly email: string;
  readonly passwordHash: string;
  readonly next: string;
  /** Hash of the browser's secret. */
  readonly browser: string;
}

export type Confirmation =
  | { readonly account: Account; readonly next: string }
  /** The link was opened in another browser: its reader may not be the one who chose the password. */
  | 'password-needed'
  | 'password-wrong'
  | 'invalid';

export type SignUps = ReturnType<typeof createSignUps>;

/**
 * Signing up with email and password. There is no account until the address is confirmed, so no one can have one in
 * another's name; and no answer reveals whether an address has an account.
 */
export function createSignUps(deps: AccountDeps) {
  const { attempts, passwords, stores, clock, mailer } = deps;

  async function write(waiting: WaitingSignUp, origin: string): Promise<void> {
    const { email } = waiting;
    const existing = await stores.accounts.findByLogin(loginOfEmail(email));
    const wish = { kind: 'sign-up', owner: email, lifeMs: DAY_MS, data: waiting } as const;
    const secret = await issue(deps, wish);
    const link = `${origin}/verify?token=${secret}`;
    mailer.post({
      to: email,
      ...(existing === null ? confirmationEmail(link) : existingAccountEmail(origin)),
    });
  }

  return {
    /** Stores a sign-up and emails its address. Resolves to the form's errors, undefined if there are none. */
    async begin(form: SignUpForm, sender: Sender): Promise<FieldFaults | undefined> {
      const email = parseEmail(form.email);
      const password = faultOfPassword(form.password, email);
      if (email === null) return { email: INVALID_EMAIL, password };
      if (password !== undefined) return { password };
      await attempts.spend(['sign-up from', addressBlock(sender.address)], ['mail to', email]);
      // Hashed in any case, so that the response time reveals nothing either.
      const passwordHash = await passwords.hash(form.password);
      const browser = hashOf(sender.browser);
      await write({ email, passwordHash, next: form.next, browser }, sender.origin);
      return undefined;
    },

    /**
     * Sends another email for a pending sign-up, or for one that was confirmed elsewhere. Resolves to the form's errors,
     * undefined if there are none.
     */
    async again(text: string, sender: Sender): Promise<FieldFaults | undefined> {
      const email = parseEmail(text);
      await attempts.spend(['mail wanted from', addressBlock(sender.address)]);
      if (email === null) return { email: INVALID_EMAIL };
      await attempts.spend(['mail to', email]);
      const ticket = await stores.tickets.latest('sign-up', email, clock.now());
      if (ticket !== null) {
        await write(dataOf<WaitingSignUp>(ticket), sender.origin);
        return undefined;
      }
      const existing = await stores.accounts.findByLogin(loginOfEmail(email));
      if (existing !== null) mailer.post({ to: email, ...existingAccountEmail(sender.origin) });
      return undefined;
    },

    /** The address that a link confirms, and whether the password is needed; null if the link no longer works. */
    async look(
      token: string,
      browser: string | undefined,
    ): Promise<{ email: string; password: boolean } | null> {
      const ticket = await stores.tickets.look('sign-up', hashOf(token), clock.now());
      if (ticket === null) return null;
      const waiting = dataOf<WaitingSignUp>(ticket);
      return { email: waiting.email, password: !isSame(waiting, browser) };
    },

    async confirm(
      token: string,
      { password, browser, address }: { password: string } & Pick<ReturningSender, 'browser' | 'address'>,
    ): Promise<Confirmation> {
      const hash = hashOf(token);
      const ticket = await stores.tickets.look('sign-up', hash, clock.now());
      if (ticket === null) return 'invalid';
      const waiting = dataOf<WaitingSignUp>(ticket);
      if (!isSame(waiting, browser)) {
        if (password === '') return 'password-needed';
        await attempts.spend(['password of', hash]);
        if (!(await passwords.matches(password, waiting.passwordHash))) return 'password-wrong';
      }
      await attempts.spend(['account from', addressBlock(address)]);
      const account = await createAccount(deps, ticket);
      return account === null ? 'invalid' : { account, next: waiting.next };
    },
  };
}

export function areOfOneBrowser(tickets: readonly Ticket[]): boolean {
  return new Set(tickets.map((ticket) => dataOf<WaitingSignUp>(ticket).browser)).size <= 1;
}

/**
 * Creates the account of a sign-up, and uses up its links only then: if it cannot be stored, they still work. Null if
 * its address has an account.
 * @param withPassword false where the address's owner may not be the one who chose it
 */
export async function createAccount(
  { stores, clock, ids }: Pick<AccountDeps, 'stores' | 'clock' | 'ids'>,
  ticket: Ticket,
  withPassword = true,
): Promise<Account | null> {
  const { email, passwordHash: chosen } = dataOf<WaitingSignUp>(ticket);
  const passwordHash = withPassword ? chosen : null;
  const account = newAccount({ id: ids.next(), email, passwordHash, createdAt: clock.now() });
  const outcome = await stores.accounts.insert(account);
  await stores.tickets.drop('sign-up', email);
  return outcome === 'taken' ? null : account;
}

function isSame(waiting: WaitingSignUp, browser: string | undefined): boolean {
  return browser !== undefined && waiting.browser === hashOf(browser);
}
