import {
  loginOf,
  loginOfEmail,
  MAX_IDENTITIES,
  withIdentity,
  type Account,
  type Identity,
} from '../domain/account.ts';
import { noticeEmail } from '../domain/emails.ts';
import { from } from './attempts.ts';
import { changeAccount, type AccountDeps, type Returning } from './deps.ts';

/** Somebody as vouched for elsewhere, at this moment. */
export interface Vouched {
  readonly identity: Omit<Identity, 'linkedAt'>;
  readonly name: string;
  /** Verified by whoever vouches, in lower case. */
  readonly verifiedEmail: string | null;
}

/** What became of linking. */
export type Linking = 'linked' | 'others' | 'too-many' | 'gone';

const TITLES = { github: 'GitHub', google: 'Google', wallet: 'An Ethereum wallet' };

/**
 * Accounts by identities. An identity leads to its own account only; to another one it is added by whoever is signed in
 * there, or where both that account and the provider have verified the same address and its owner has not removed it.
 */
export class Identities {
  readonly #deps: AccountDeps;

  constructor(deps: AccountDeps) {
    this.#deps = deps;
  }

  /** The account of an identity; a new one where it is new here. */
  async signIn(
    vouched: Vouched,
    { origin, address }: Pick<Returning, 'origin' | 'address'>,
  ): Promise<Account> {
    const { stores } = this.#deps;
    // Of two who come at once one makes the account, and the other one then finds it.
    for (let tries = 0; tries < 3; tries++) {
      const known = await stores.accounts.findByLogin(loginOf(vouched.identity));
      if (known !== null) return known;
      const adopted = await this.#adopt(vouched, origin);
      // Where that account does not take it in, it has one of its own, without the address: the other one keeps it.
      const account =
        adopted === 'refused'
          ? await this.#create({ ...vouched, verifiedEmail: null }, address)
          : (adopted ?? (await this.#create(vouched, address)));
      if (account !== null) return account;
    }
    throw new Error('an identity was taken again and again while its account was made');
  }

  /**
   * Adds it to the account of the same address, which its owner has confirmed: both sides have verified it. Null where
   * there is no such account.
   */
  async #adopt({ identity, verifiedEmail }: Vouched, origin: string): Promise<Account | 'refused' | null> {
    const { stores } = this.#deps;
    if (verifiedEmail === null) return null;
    const account = await stores.accounts.findByLogin(loginOfEmail(verifiedEmail));
    if (account === null) return null;
    const outcome = await this.#add(account.id, identity, origin, verifiedEmail);
    if (outcome === 'linked') return stores.accounts.find(account.id);
    return outcome === 'gone' ? null : 'refused';
  }

  async #create({ identity, name, verifiedEmail }: Vouched, address: string): Promise<Account | null> {
    const { stores, attempts, clock, ids } = this.#deps;
    const counted = ['account from', from(address)] as const;
    await attempts.spend(counted);
    const now = clock.now();
    const account: Account = {
      ...{ id: ids.next(), email: verifiedEmail, name, passwordHash: null },
      identities: [{ ...identity, linkedAt: now }],
      ...{ createdAt: now, epoch: 0, version: 0 },
    };
    if ((await stores.accounts.insert(account)) === 'inserted') return account;
    await attempts.forgive(counted);
    return null;
  }

  /** Adds an identity to the account of whoever is signed in. */
  link(userId: string, { identity }: Vouched, origin: string): Promise<Linking> {
    return this.#add(userId, identity, origin);
  }

  /** @param adoptedBy the address by which it comes; only an account that has it, and has not removed it, takes it in */
  async #add(
    userId: string,
    identity: Vouched['identity'],
    origin: string,
    adoptedBy?: string,
  ): Promise<Linking> {
    const { stores, clock, mailer } = this.#deps;
    let full = false;
    let added = false;
    const login = loginOf(identity);
    const outcome = await changeAccount(stores, userId, (account) => {
      added = false;
      if (account.identities.some((each) => loginOf(each) === login)) return null;
      full = account.identities.length >= MAX_IDENTITIES;
      const unasked = adoptedBy !== undefined;
      if (full || (unasked && (account.email !== adoptedBy || account.removed?.includes(login)))) return null;
      added = true;
      return withIdentity(account, { ...identity, linkedAt: clock.now() });
    });
    if (outcome === 'gone') return 'gone';
    if (outcome === 'taken') return 'others';
    if (full) return 'too-many';
    if (added && outcome.email !== null)
      mailer.post({
        to: outcome.email,
        ...noticeEmail(`${TITLES[identity.provider]} was linked to your account`, origin),
      });
    return outcome.identities.some((each) => loginOf(each) === login) ? 'linked' : 'others';
  }
}
