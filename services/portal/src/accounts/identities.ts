import { addressBlock } from '@hindsight/http/address-block.ts';
import {
  loginOf,
  loginOfEmail,
  MAX_IDENTITIES,
  newAccount,
  withIdentity,
  type Account,
  type Identity,
} from '../domain/account.ts';
import { changeAccount, notify, type AccountDeps, type AccountOrId, type ReturningSender } from './deps.ts';

/** A user as a provider has just confirmed them. */
export interface Vouched {
  readonly identity: Omit<Identity, 'linkedAt'>;
  readonly name: string;
  /** Verified by the provider, in lower case. */
  readonly verifiedEmail: string | null;
}

/** `gone`: the sessions of the account have ended meanwhile. */
export type Linking = 'linked' | 'others' | 'too-many' | 'gone';

const TITLES = { github: 'GitHub', google: 'Google', wallet: 'An Ethereum wallet' };

export type Identities = ReturnType<typeof createIdentities>;

/**
 * Accounts by identity. An identity belongs to one account. It is linked to an existing account by its signed-in owner, or
 * if both that account and the provider have verified the same address and the owner has not removed the identity.
 */
export function createIdentities(deps: AccountDeps) {
  const { stores, attempts, clock, ids } = deps;

  /**
   * Links it to the account with the same address, which both sides have verified. Null if there is no such account.
   */
  async function adopt(
    { identity, verifiedEmail }: Vouched,
    origin: string,
  ): Promise<Account | 'refused' | null> {
    if (verifiedEmail === null) return null;
    const account = await stores.accounts.findByLogin(loginOfEmail(verifiedEmail));
    if (account === null) return null;
    const outcome = await add({ id: account.id }, identity, origin, verifiedEmail);
    if (outcome === 'linked') return stores.accounts.find(account.id);
    return outcome === 'gone' ? null : 'refused';
  }

  async function create(
    { identity, name, verifiedEmail }: Vouched,
    address: string,
  ): Promise<Account | null> {
    const counted = ['account from', addressBlock(address)] as const;
    await attempts.spend(counted);
    const now = clock.now();
    const identities = [{ ...identity, linkedAt: now }];
    const account = newAccount({ id: ids.next(), email: verifiedEmail, name, identities, createdAt: now });
    if ((await stores.accounts.insert(account)) === 'inserted') return account;
    await attempts.forgive(counted);
    return null;
  }

  /**
   * @param adoptedBy the shared address, if linked automatically; an account that has removed the identity
   * refuses
   */
  async function add(
    owner: AccountOrId,
    identity: Vouched['identity'],
    origin: string,
    adoptedBy?: string,
  ): Promise<Linking> {
    let full = false;
    let added = false;
    const login = loginOf(identity);
    const outcome = await changeAccount(stores, owner, (account) => {
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
    if (added) notify(deps, outcome.email, `${TITLES[identity.provider]} was linked to your account`, origin);
    return outcome.identities.some((each) => loginOf(each) === login) ? 'linked' : 'others';
  }

  return {
    /** The account of an identity; a new one for a new identity. */
    async signIn(
      vouched: Vouched,
      { origin, address }: Pick<ReturningSender, 'origin' | 'address'>,
    ): Promise<Account> {
      // Of two concurrent requests one creates the account, and the other then finds it.
      for (let tries = 0; tries < 3; tries++) {
        const known = await stores.accounts.findByLogin(loginOf(vouched.identity));
        if (known !== null) return known;
        const adopted = await adopt(vouched, origin);
        // That account refuses the identity: it gets a new account, without the address, which stays with the
        // other.
        const account =
          adopted === 'refused'
            ? await create({ ...vouched, verifiedEmail: null }, address)
            : (adopted ?? (await create(vouched, address)));
        if (account !== null) return account;
      }
      throw new Error('gave up after 3 conflicts while creating an account for an identity');
    },

    async isOf(userId: string, { identity }: Vouched): Promise<boolean> {
      return (await stores.accounts.findByLogin(loginOf(identity)))?.id === userId;
    },

    /** Links an identity to a signed-in user's account. */
    link(user: Account, { identity }: Vouched, origin: string): Promise<Linking> {
      return add(user, identity, origin);
    },
  };
}
