import type { Platform } from '@hindsight/kernel/platform.ts';
import type { Account } from '../domain/account.ts';
import { noticeEmail } from '../domain/emails.ts';
import type { AccountStores, Mailer, PasswordHasher, Ticket, TicketKind } from '../ports.ts';
import type { Attempts } from './attempts.ts';
import { hashOf, newSecret } from './secrets.ts';

export interface AccountDeps extends Pick<Platform, 'clock' | 'ids'> {
  readonly stores: AccountStores;
  readonly passwords: PasswordHasher;
  readonly mailer: Mailer;
  readonly attempts: Attempts;
}

/** The sender of a form: the client address, the portal's origin and the browser. */
export interface Sender {
  readonly address: string;
  readonly origin: string;
  /** The secret of the browser's cookie. */
  readonly browser: string;
}

/** A visitor who returns to finish something, perhaps in another browser, with or without its cookie. */
export type ReturningSender = Omit<Sender, 'browser'> & { readonly browser: string | undefined };

export type FieldFaults = Readonly<Record<string, string | undefined>>;

interface NewTicket {
  readonly kind: TicketKind;
  readonly owner: string;
  readonly lifeMs: number;
  readonly data: object;
  /** Random by default. */
  readonly secret?: string;
}

export async function issue(
  { stores, clock }: Pick<AccountDeps, 'stores' | 'clock'>,
  ticket: NewTicket,
): Promise<string> {
  const { kind, owner, lifeMs, data, secret = newSecret() } = ticket;
  const expiresAt = clock.now() + lifeMs;
  await stores.tickets.put({ kind, hash: hashOf(secret), owner, expiresAt, data: JSON.stringify(data) });
  return secret;
}

/** Emails an account's owner that something has changed, unless they have no address. */
export function notify(
  { mailer }: Pick<AccountDeps, 'mailer'>,
  to: string | null,
  what: string,
  origin: string,
): void {
  if (to !== null) mailer.post({ to, ...noticeEmail(what, origin) });
}

export function dataOf<T>(ticket: Ticket): T {
  return JSON.parse(ticket.data) as T;
}

const MAX_TRIES = 5;

/** An account by its id alone, or as its signed-in owner had it. */
export type AccountOrId = Pick<Account, 'id'> & Partial<Pick<Account, 'epoch'>>;

/**
 * Updates an account, and retries on concurrent updates. `change` returns null to change nothing. Resolves to
 * the account afterwards; `gone` if there is none.
 * @param epoch where given, `gone` too if the owner's sessions have ended since
 */
export async function changeAccount(
  { accounts }: Pick<AccountStores, 'accounts'>,
  { id, epoch }: AccountOrId,
  change: (account: Account) => Account | null,
): Promise<Account | 'taken' | 'gone'> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const account = await accounts.find(id);
    if (account === null || (epoch ?? account.epoch) !== account.epoch) return 'gone';
    const changed = change(account);
    if (changed === null) return account;
    const outcome = await accounts.replace(changed);
    if (outcome === 'replaced') return { ...changed, version: account.version + 1 };
    if (outcome === 'taken') return 'taken';
  }
  throw new Error(`gave up after ${MAX_TRIES} concurrent updates of an account`);
}
