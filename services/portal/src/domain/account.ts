export type Provider = 'github' | 'google' | 'wallet';

/** The providers that this server is set up for; a wallet needs none. */
export type Offered = Readonly<Record<Exclude<Provider, 'wallet'>, boolean>>;

/** A way to sign in besides email and password. */
export interface Identity {
  readonly provider: Provider;
  /** The provider's lasting name for them; a wallet's address in lower case. */
  readonly subject: string;
  /** For its owner to recognise it: a login, an email address, an EIP-55 address. */
  readonly label: string;
  /** Unix milliseconds. */
  readonly linkedAt: number;
}

/** An account as stored. An address is in it only once it has been confirmed. */
export interface Account {
  readonly id: string;
  /** Confirmed, in lower case. */
  readonly email: string | null;
  /** The owner's or a provider's spelling: text, never markup. */
  readonly name: string;
  readonly passwordHash: string | null;
  readonly identities: readonly Identity[];
  /**
   * Logins that its owner has removed, the latest last: a shared address does not bring them back. May be
   * absent.
   */
  readonly removed?: readonly string[];
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Sessions of an earlier epoch have ended: raised by a new password and by signing out everywhere. */
  readonly epoch: number;
  /** Rises with each change. */
  readonly version: number;
}

export const MAX_IDENTITIES = 20;

/** Removed logins remembered per account. */
const MAX_REMOVED = 50;

export function newAccount(own: Pick<Account, 'id' | 'email' | 'createdAt'> & Partial<Account>): Account {
  return { name: '', passwordHash: null, identities: [], epoch: 0, version: 0, ...own };
}

/** An account is found by each of these, and no two accounts share one. */
export function loginsOf({ id, email, identities }: Pick<Account, 'id' | 'email' | 'identities'>): string[] {
  // The id is among them so that the list is never empty: a unique index takes empty lists for equal ones.
  const logins = [`id:${id}`, ...identities.map(loginOf)];
  return email === null ? logins : [...logins, loginOfEmail(email)];
}

export function loginOfEmail(email: string): string {
  return `email:${email}`;
}

export function loginOf({ provider, subject }: Pick<Identity, 'provider' | 'subject'>): string {
  return `${provider}:${subject}`;
}

export function withIdentity(account: Account, identity: Identity): Account {
  const removed = removedBut(account, loginOf(identity));
  return { ...account, identities: [...account.identities, identity], removed };
}

/** The account without one of its identities, which it remembers. */
export function withoutIdentity(account: Account, identity: Identity): Account {
  const identities = account.identities.filter((each) => each !== identity);
  const login = loginOf(identity);
  const removed = [...removedBut(account, login), login].slice(-MAX_REMOVED);
  return { ...account, identities, removed };
}

function removedBut({ removed = [] }: Account, login: string): string[] {
  return removed.filter((each) => each !== login);
}

/** True if the owner could still sign in without an identity: those of a provider that is turned off sign no one in. */
export function canDoWithout(account: Account, identity: Identity, offered: Offered): boolean {
  const { email, passwordHash, identities } = account;
  const others = identities.filter((other) => other !== identity);
  return (
    (email !== null && passwordHash !== null) || others.some(({ provider }) => isOffered(provider, offered))
  );
}

export function isOffered(provider: Provider, offered: Offered): boolean {
  return provider === 'wallet' || offered[provider];
}

const MAX_NAME = 100;

/** A name from elsewhere, cut to what is shown. */
export function displayName(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, MAX_NAME);
}
