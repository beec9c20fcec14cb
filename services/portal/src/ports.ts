/** What the portal needs of the world; adapters in adapters/, one contract suite for the two stores of accounts. */
import type { IncomingHttpHeaders } from 'node:http';

/** Somebody with an account. */
export interface SignedInUser {
  readonly id: string;
  /** Null for those who came by a wallet or a provider that vouched for none. Always verified. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  /** Written by its owner: text to be escaped, may be empty. */
  readonly name: string;
  /** EIP-55; null when no wallet signs in to this account. */
  readonly wallet: string | null;
}

/** Who asks, by the session of their cookie. */
export interface SignedIn {
  readonly user: SignedInUser;
  /** Names the session to its owner; nobody can sign in with it. */
  readonly sessionId: string;
  /** When the password was given, the wallet signed or the provider vouched for the last time. */
  readonly signedInAt: Date;
}

/** Tells who asks. */
export interface Sessions {
  /** Null for strangers, and for sessions that have ended. @throws {StoreUnavailable} */
  current(headers: IncomingHttpHeaders): Promise<SignedIn | null>;
}
