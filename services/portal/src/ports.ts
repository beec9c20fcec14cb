/** The ports of the portal. Their adapters are in adapters/; one contract suite covers both stores of accounts. */
import { Fault } from '@hindsight/kernel/errors.ts';
import type { Account } from './domain/account.ts';
import type { OrderPage, OrderStatus, ShownOrder } from './order-answers.ts';

/** The user of a request, by its session cookie. */
export interface SignedIn {
  readonly user: Account;
  /** Identifies the session to its owner; not a secret. */
  readonly sessionId: string;
  /** The last time that the user proved their identity: by password, wallet or provider. Unix milliseconds. */
  readonly signedInAt: number;
}

/** Accounts. All methods of these stores throw `StoreUnavailable` when the store does not answer in time. */
export interface AccountStore {
  /** `taken`: its address or one of its identities is another account's. */
  insert(account: Account): Promise<'inserted' | 'taken'>;
  find(id: string): Promise<Account | null>;
  /** By one of `loginsOf`. */
  findByLogin(login: string): Promise<Account | null>;
  /** Up to `limit` in the order of their ids, those behind `after` only. */
  list(after: string, limit: number): Promise<Account[]>;
  /** Replaces the version that was read. `conflict`: it has changed since, or is gone. */
  replace(account: Account): Promise<'replaced' | 'conflict' | 'taken'>;
  /** Its logins are free at once. */
  remove(id: string): Promise<void>;
}

export interface Session {
  /** SHA-256 of the cookie's secret. */
  readonly hash: string;
  readonly id: string;
  readonly userId: string;
  /** The account's at sign-in: another one there ends the session. */
  readonly epoch: number;
  /** Unix milliseconds, as all times here. */
  readonly signedInAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
  readonly address: string;
  /** The browser's User-Agent, truncated. */
  readonly agent: string;
}

export interface SessionStore {
  insert(session: Session): Promise<void>;
  find(hash: string): Promise<Session | null>;
  /** Up to `limit`, the latest first. */
  list(userId: string, limit: number): Promise<Session[]>;
  seen(hash: string, at: number): Promise<void>;
  remove(hash: string): Promise<void>;
  removeOne(userId: string, id: string): Promise<void>;
  removeAll(userId: string): Promise<void>;
  /** Ends a user's earliest ones until at most `count` are left, up to some thousand at a time. */
  keepLatest(userId: string, count: number): Promise<void>;
}

/** The purpose of a single-use secret. */
export type TicketKind = 'sign-up' | 'change-email' | 'reset' | 'oauth' | 'wallet';

/** A one-time permission for the holder of its secret. */
export interface Ticket {
  readonly kind: TicketKind;
  /** SHA-256 of the secret. */
  readonly hash: string;
  /** A user's id or an address; tickets are dropped by owner. */
  readonly owner: string;
  readonly expiresAt: number;
  /** JSON. */
  readonly data: string;
}

/** The most tickets of an owner that are read at once: more than an address can be sent in a day. */
export const MAX_WAITING = 200;

export interface TicketStore {
  put(ticket: Ticket): Promise<void>;
  /** Null when there is none, or it is too old at `now`. */
  look(kind: TicketKind, hash: string, now: number): Promise<Ticket | null>;
  /** The one of an owner that lasts longest. */
  latest(kind: TicketKind, owner: string, now: number): Promise<Ticket | null>;
  /** Those of an owner, the one that lasts longest first. */
  waiting(kind: TicketKind, owner: string, now: number): Promise<Ticket[]>;
  /** Like `look`, and removes it: of several concurrent callers, one gets it. */
  take(kind: TicketKind, hash: string, now: number): Promise<Ticket | null>;
  drop(kind: TicketKind, owner: string): Promise<void>;
}

/** Counts attempts per time window, for all processes together. */
export interface TallyStore {
  /** Adds to the count of a window; `by` may be negative. Resolves to the count then or soon after. */
  add(key: string, by: number, endsAt: number): Promise<number>;
}

/** Work to be done once, by whichever process comes first. */
export interface ClaimStore {
  /** True for the first of all callers; forgotten after `expiresAt`. */
  claim(key: string, expiresAt: number): Promise<boolean>;
  /** It was not done: the next caller may. */
  release(key: string): Promise<void>;
}

export interface AccountStores {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly tickets: TicketStore;
  readonly tallies: TallyStore;
  readonly claims: ClaimStore;
  /** Removes what has expired by `now`, some thousand of each at a time. */
  removeExpired(now: number): Promise<void>;
  /** Ends every session, and all single-use secrets. */
  signOutAll(): Promise<void>;
}

/** Hashes passwords, slowly. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Takes the same time with and without a hash. */
  matches(password: string, hash: string | null): Promise<boolean>;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Queues an email and returns at once, so that response times do not reveal whether one is sent. */
  post(mail: Mail): void;
}

/** Sends emails that are not asked for again. */
export interface ConfirmedMailer extends Mailer {
  /**
   * Resolves once the mail server has accepted or refused it, or may have accepted it: then it must not be
   * sent again.
   * @throws {MailNotSent}
   */
  send(mail: Mail): Promise<void>;
}

/** The mail server cannot be reached: the same email may be sent later. */
export class MailNotSent extends Fault {}

/** A provider's facts about a user who has signed in there. */
export interface ProviderProfile {
  readonly subject: string;
  readonly label: string;
  readonly name: string;
  /** In lower case; null if the provider has verified none. */
  readonly verifiedEmail: string | null;
}

/** The state that is kept between leaving for a provider and returning. */
export interface AuthorizationSecrets {
  readonly state: string;
  readonly codeVerifier: string;
  readonly nonce: string;
}

/** Signs people in at a provider: OAuth 2 with PKCE and state, and a nonce if there are ID tokens. */
export interface IdentityProvider {
  /** The address to send the browser to. @throws {ProviderFailed} */
  begin(secrets: AuthorizationSecrets, redirectUri: string): Promise<string>;
  /** Verifies the return with all its secrets, and fetches the user. @throws {ProviderFailed} */
  finish(callback: URL, secrets: AuthorizationSecrets, redirectUri: string): Promise<ProviderProfile>;
}

/** The provider refused, did not answer, or answered with something else. `message` is for operators, without secrets. */
export class ProviderFailed extends Fault {}

/** Verifies wallets' signatures of a message (EIP-191; ERC-1271 if the wallet is a contract). */
export interface WalletSignatures {
  /** `unknown`: only a contract could decide, and the node does not answer. */
  check(address: string, message: string, signature: string): Promise<'right' | 'wrong' | 'unknown'>;
}

export interface StoredMail extends Mail {
  readonly at: Date;
}

/** Emails kept here instead of being sent, for development. */
export interface Mailbox {
  /** Newest first. */
  mails(): readonly StoredMail[];
}

interface OrderQuestion {
  readonly network: string;
  readonly project: string;
  readonly status: OrderStatus | undefined;
  readonly cursor: string | undefined;
}

/** Reads the orders that a project's keys have sent. */
export interface ProjectOrders {
  /** @throws {ApiError} 400 for a cursor of another list; 404 where the network takes no orders; 503 */
  list(question: OrderQuestion): Promise<OrderPage>;
  /** @throws {ApiError} 404 for an unknown order; 503 */
  find(
    question: Pick<OrderQuestion, 'network' | 'project'> & { readonly orderHash: string },
  ): Promise<ShownOrder>;
}
