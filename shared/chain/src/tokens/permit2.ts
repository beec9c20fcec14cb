/** Permit2: one contract that keeps allowances of its own, for any ERC-20 token that lets it spend. */
import { id } from 'ethers/hash';
import type { Log } from '../logs/log.ts';
import { topicAddress } from './token-events.ts';

/** At the same address on every chain that is known here; zkSync has another. */
export const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';

const MAX_UINT48 = 2n ** 48n - 1n;

const LOCKDOWN = id('Lockdown(address,address,address)');

/** First topics of the events that name an owner's allowance; the owner is the second. */
export const PERMIT2_TOPICS: readonly string[] = [
  id('Approval(address,address,address,uint160,uint48)'),
  id('Permit(address,address,address,uint160,uint48,uint48)'),
  id('NonceInvalidation(address,address,address,uint48,uint48)'),
  LOCKDOWN,
];

/** The token and the spender that a log of `PERMIT2_TOPICS` names; undefined where it is no log of Permit2. */
export function permit2Pair({
  address,
  topics,
  data,
}: Pick<Log, 'address' | 'topics' | 'data'>):
  | { readonly token: string; readonly spender: string }
  | undefined {
  if (address !== PERMIT2.toLowerCase()) return undefined;
  const isLockdown = topics[0] === LOCKDOWN && data.length >= 64;
  const words = isLockdown ? [wordAt(data, 0), wordAt(data, 1)] : topics.slice(2);
  const [token, spender] = words.map(topicAddress);
  return token && spender ? { token, spender } : undefined;
}

/**
 * An allowance's expiration in an answer to `permit2AllowanceCall`: Unix seconds, the last at which it holds. Undefined in an
 * answer of another contract: a chain may have any code at this address.
 */
export function readExpiration(data: Buffer): number | undefined {
  if (data.length < 64) return undefined;
  const expiration = BigInt(wordAt(data, 1));
  return expiration <= MAX_UINT48 ? Number(expiration) : undefined;
}

function wordAt(data: Buffer, at: number): string {
  return `0x${data.toString('hex', 32 * at, 32 * at + 32)}`;
}
