import { addressBlock } from '@hindsight/http/address-block.ts';
import { getAddress, isAddress } from 'ethers/address';
import type { Account } from '../domain/account.ts';
import { MINUTE_MS } from '@hindsight/kernel/durations.ts';
import { readMessage, refusalOf, writeMessage } from '../domain/eip4361.ts';
import type { WalletSignatures } from '../ports.ts';
import type { Identities, Linking, Vouched } from './identities.ts';
import { dataOf, issue, type AccountDeps, type Sender, type ReturningSender } from './deps.ts';
import { hashOf, newNonce } from './secrets.ts';

/** From the message to its signature; also a message's maximum age. */
const LIFE_MS = 10 * MINUTE_MS;
/** Our own messages carry our clock's time; wallets that write theirs may be slightly ahead. */
const SKEW_MS = 30_000;
const MAX_SIGNATURE = 8_192;

interface Deps extends AccountDeps {
  readonly identities: Identities;
  readonly signatures: WalletSignatures;
  readonly chainId: number;
}

/** Why a signed message is refused, for the user. */
export interface Refusal {
  readonly refused: string;
  /** The node did not answer: trying again may help. */
  readonly later?: boolean;
}

export type WalletSignIn = ReturnType<typeof createWalletSignIn>;

/** Signing in with an Ethereum wallet (EIP-4361), and linking one. */
export function createWalletSignIn(deps: Deps) {
  const { attempts, clock, chainId, identities, stores, signatures } = deps;

  async function judge(
    { message: text, signature }: Signed,
    sender: ReturningSender,
  ): Promise<Vouched | Refusal> {
    await attempts.spend(['wallet from', addressBlock(sender.address)]);
    const message = readMessage(text);
    if (message === null || !/^0x(?:[0-9a-fA-F]{2})*$/.test(signature) || signature.length > MAX_SIGNATURE)
      return { refused: 'This is not a valid sign-in message.' };
    const now = clock.now();
    const expected = { origin: sender.origin, chainId, now, maxAgeMs: LIFE_MS, skewMs: SKEW_MS };
    const refused = refusalOf(message, expected);
    if (refused !== undefined) return { refused };
    const ticket = await stores.tickets.take('wallet', hashOf(message.nonce), now);
    const asked = ticket && dataOf<{ address: string; browser: string }>(ticket);
    const same = sender.browser !== undefined && asked?.browser === hashOf(sender.browser);
    if (asked?.address !== message.address || !same)
      return { refused: 'This message was already used, or it wasn’t created here. Please try again.' };
    const verdict = await signatures.check(message.address, text, signature);
    if (verdict === 'unknown')
      return {
        refused: 'This wallet is a contract, and the Ethereum node is unavailable right now.',
        later: true,
      };
    if (verdict === 'wrong') return { refused: 'The signature doesn’t match this wallet.' };
    const { address } = message;
    const identity = { provider: 'wallet', subject: address.toLowerCase(), label: address } as const;
    return { identity, name: '', verifiedEmail: null };
  }

  return {
    /** The message for a wallet to sign; null if the address is invalid. It works once, in this browser. */
    async message(text: string, sender: Sender): Promise<string | null> {
      if (!isAddress(text)) return null;
      await attempts.spend(['wallet from', addressBlock(sender.address)]);
      const address = getAddress(text);
      const nonce = newNonce();
      const data = { address, browser: hashOf(sender.browser) };
      await issue(deps, { kind: 'wallet', owner: address, lifeMs: LIFE_MS, data, secret: nonce });
      const issuedAt = clock.now();
      return writeMessage({
        domain: new URL(sender.origin).host,
        address,
        uri: sender.origin,
        chainId,
        nonce,
        issuedAt,
        expiresAt: issuedAt + LIFE_MS,
      });
    },

    /**
     * Signs in with a signed message, to the wallet's account; creates one if there is none.
     * @param confirms the user who confirms who they are: with a wallet of theirs only
     */
    async signIn(
      signed: Signed,
      sender: ReturningSender & { readonly confirms: string | null },
    ): Promise<Account | Refusal> {
      const vouched = await judge(signed, sender);
      if ('refused' in vouched) return vouched;
      if (sender.confirms !== null && !(await identities.isOf(sender.confirms, vouched)))
        return { refused: 'This wallet isn’t linked to your account.' };
      return identities.signIn(vouched, sender);
    },

    /** Adds the wallet of a signed message to an account. @param signedIn reads who is signed in */
    async link(
      userId: string,
      signed: Signed,
      sender: ReturningSender & { readonly signedIn: () => Promise<Account | null> },
    ): Promise<Linking | Refusal> {
      const vouched = await judge(signed, sender);
      if ('refused' in vouched) return vouched;
      // Read only now: while a stranger's contract answered, the owner may have ended their session.
      const user = await sender.signedIn();
      return user?.id === userId ? identities.link(user, vouched, sender.origin) : 'gone';
    },
  };
}

interface Signed {
  readonly message: string;
  readonly signature: string;
}
