/**
 * Places in which compilers and libraries keep an amount: the key of a slot is a hash of the accounts and of the place.
 * The client's verifier has its own table of them, as it has no dependency (`clients/typescript/src/verify/layouts.ts`);
 * `tests/clients/slot-places.test.ts` compares the two.
 * Sources: https://docs.soliditylang.org/en/latest/internals/layout_in_storage.html,
 * https://docs.vyperlang.org/en/stable/scoping-and-declarations.html,
 * https://eips.ethereum.org/EIPS/eip-7201, https://github.com/Vectorized/solady/blob/main/src/tokens/ERC20.sol
 */
import { toBeHex } from 'ethers/utils';
import { keccak, keccakHex } from '../keccak.ts';

/** A place in a contract's storage. */
export type SlotPlace =
  | {
      /** An entry of a mapping with this index, as Solidity or Vyper hashes it; or a variable with it. */
      readonly layout: 'solidity' | 'vyper' | 'variable';
      readonly index: bigint;
    }
  /** An entry of a mapping, by that library's own hash. */
  | { readonly layout: 'solady' };

/** Indexes 0 to 255, and the balances and allowances at the EIP-7201 location of `openzeppelin.storage.ERC20`. */
const OPEN_ZEPPELIN = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;
const INDEXES = [
  ...Array.from({ length: 256 }, (_, index) => BigInt(index)),
  OPEN_ZEPPELIN,
  OPEN_ZEPPELIN + 1n,
];
/** In the order in which they are tried: all of Solidity's first, as most tokens are written in it. */
const MAPPINGS: readonly SlotPlace[] = [
  { layout: 'solady' },
  ...(['solidity', 'vyper'] as const).flatMap((layout) => INDEXES.map((index) => ({ layout, index }))),
];
/** Solady's seeds of a balance and of an allowance, in 12 bytes. */
const SOLADY_BALANCE = Buffer.from('87a211a2'.padStart(24, '0'), 'hex');
const SOLADY_ALLOWANCE = Buffer.from('7f5e9f20'.padStart(24, '0'), 'hex');

/**
 * Derives the key of the slot that keeps the amount of some accounts: 0x and 64 lower-cased hex digits.
 * @param accounts the holder; for an allowance the owner and the spender; none for a variable. 0x and 40 hex digits each
 */
export function keyAt(place: SlotPlace, accounts: readonly string[]): string {
  const bytes = accounts.map((account) => Buffer.from(account.slice(2), 'hex'));
  if (place.layout === 'solady') {
    const [holder = Buffer.of(), ...spender] = bytes;
    const seed = spender.length === 0 ? SOLADY_BALANCE : SOLADY_ALLOWANCE;
    return keccakHex(Buffer.concat([holder, seed, ...spender]));
  }
  let slot: Uint8Array = Buffer.from(toBeHex(place.index, 32).slice(2), 'hex');
  for (const account of bytes) {
    const word = Buffer.concat([Buffer.alloc(12), account]);
    slot = keccak(Buffer.concat(place.layout === 'solidity' ? [word, slot] : [slot, word]));
  }
  return `0x${Buffer.from(slot).toString('hex')}`;
}

/**
 * Finds the place of a slot by its key.
 * @param key 0x and 64 lower-cased hex digits
 * @param accounts as `keyAt` has them
 * @returns undefined where no known layout has that key
 */
export function findPlace(key: string, accounts: readonly string[]): SlotPlace | undefined {
  if (accounts.length === 0) return { layout: 'variable', index: BigInt(key) };
  return MAPPINGS.find((place) => keyAt(place, accounts) === key);
}
