/**
 * Places in which compilers and libraries keep an amount. The slot's key is a hash of the accounts and of the mapping's index,
 * so a key that is explained belongs to these accounts and to no others.
 * Sources: https://docs.soliditylang.org/en/latest/internals/layout_in_storage.html,
 * https://docs.vyperlang.org/en/stable/scoping-and-declarations.html,
 * https://eips.ethereum.org/EIPS/eip-7201, https://github.com/Vectorized/solady/blob/main/src/tokens/ERC20.sol
 */
import { areEqual, join, toWord } from './bytes.ts';
import { keccak256 } from './keccak.ts';

/** A slot's place in the token's storage, as far as its key shows it. */
export interface Slot {
  /** 32 bytes, as the proof has them. */
  readonly key: string;
  /**
   * `solidity`, `vyper`: an entry of the mapping with this index. `solady`: the own hash of that library. `variable`: a plain
   * variable with this index. `given`: only compared with the `key` that was passed.
   */
  readonly layout: 'solidity' | 'vyper' | 'solady' | 'variable' | 'given';
  /** The index of the mapping or variable; null where the layout has none. */
  readonly index: bigint | null;
}

/** Indexes that are tried: 0 to 255. Contracts with many parents have their mappings at 51, 101, 151, 201. */
const INDEXES = Array.from({ length: 256 }, (_, index) => BigInt(index));
/**
 * The storage of OpenZeppelin's upgradeable ERC-20 since version 5, at the EIP-7201 location of `openzeppelin.storage.ERC20`:
 * its fields are the balances, the allowances and the supply.
 */
const OPEN_ZEPPELIN = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;
/** Solady's seeds of a balance and an allowance, in 12 bytes, and its slot of the supply. */
const SOLADY_BALANCE = 0x87a211a2n;
const SOLADY_ALLOWANCE = 0x7f5e9f20n;
const SOLADY_SUPPLY = 0x05345cdf77eb68f44cn;

type Hashed = (slot: Uint8Array, word: Uint8Array) => Uint8Array;

/** The next slot on the way into a mapping, by the compiler. */
const LAYOUTS: readonly (readonly [layout: 'solidity' | 'vyper', hashed: Hashed])[] = [
  ['solidity', (slot, word) => keccak256(join(word, slot))],
  ['vyper', (slot, word) => keccak256(join(slot, word))],
];

/**
 * The place of a slot by its key of 32 bytes; undefined where no known layout explains it.
 * @param accounts the holder; for an allowance the owner and the spender; none for a supply
 * @param known the only index that is accepted
 */
export function explainKey(
  key: Uint8Array,
  accounts: readonly Uint8Array[],
  known?: bigint,
): Omit<Slot, 'key'> | undefined {
  const [holder, spender] = accounts;
  if (holder === undefined) return explainVariable(key, known);
  if (known === undefined && areEqual(key, soladyKey(holder, spender)))
    return { layout: 'solady', index: null };
  const words = accounts.map((account) => join(new Uint8Array(12), account));
  const namespaced = OPEN_ZEPPELIN + (spender === undefined ? 0n : 1n);
  const indexes = known === undefined ? [...INDEXES, namespaced] : [known];
  // All of Solidity's first, as most tokens are written in it.
  for (const [layout, hashed] of LAYOUTS) {
    for (const index of indexes) {
      if (areEqual(key, words.reduce(hashed, toWord(index)))) return { layout, index };
    }
  }
  return undefined;
}

function explainVariable(key: Uint8Array, known: bigint | undefined): Omit<Slot, 'key'> | undefined {
  const isAt = (index: bigint): boolean => areEqual(key, toWord(index));
  if (known === undefined && isAt(SOLADY_SUPPLY)) return { layout: 'solady', index: null };
  const index = known ?? (isAt(OPEN_ZEPPELIN + 2n) ? OPEN_ZEPPELIN + 2n : BigInt(key[31] ?? 0));
  return isAt(index) ? { layout: 'variable', index } : undefined;
}

function soladyKey(holder: Uint8Array, spender: Uint8Array | undefined): Uint8Array {
  if (spender === undefined) return keccak256(join(holder, toWord(SOLADY_BALANCE).subarray(20)));
  return keccak256(join(holder, toWord(SOLADY_ALLOWANCE).subarray(20), spender));
}
