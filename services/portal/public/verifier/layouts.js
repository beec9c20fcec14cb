/* Written by npm run build:verifier, from clients/typescript/src/verify/layouts.ts. */
import { areEqual, join, toWord } from './bytes.js';
import { keccak256 } from './keccak.js';
const INDEXES = Array.from({ length: 256 }, (_, index) => BigInt(index));
const OPEN_ZEPPELIN = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;
const SOLADY_BALANCE = 0x87a211a2n;
const SOLADY_ALLOWANCE = 0x7f5e9f20n;
const SOLADY_SUPPLY = 0x05345cdf77eb68f44cn;
const LAYOUTS = [
  ['solidity', (slot, word) => keccak256(join(word, slot))],
  ['vyper', (slot, word) => keccak256(join(slot, word))],
];
export function explainKey(key, accounts, known) {
  const [holder, spender] = accounts;
  if (holder === undefined) return explainVariable(key, known);
  if (known === undefined && areEqual(key, soladyKey(holder, spender)))
    return { layout: 'solady', index: null };
  const words = accounts.map((account) => join(new Uint8Array(12), account));
  const namespaced = OPEN_ZEPPELIN + (spender === undefined ? 0n : 1n);
  const indexes = known === undefined ? [...INDEXES, namespaced] : [known];
  for (const [layout, hashed] of LAYOUTS) {
    for (const index of indexes) {
      if (areEqual(key, words.reduce(hashed, toWord(index)))) return { layout, index };
    }
  }
  return undefined;
}
function explainVariable(key, known) {
  const isAt = (index) => areEqual(key, toWord(index));
  if (known === undefined && isAt(SOLADY_SUPPLY)) return { layout: 'solady', index: null };
  const index = known ?? (isAt(OPEN_ZEPPELIN + 2n) ? OPEN_ZEPPELIN + 2n : BigInt(key[31] ?? 0));
  return isAt(index) ? { layout: 'variable', index } : undefined;
}
function soladyKey(holder, spender) {
  if (spender === undefined) return keccak256(join(holder, toWord(SOLADY_BALANCE).subarray(20)));
  return keccak256(join(holder, toWord(SOLADY_ALLOWANCE).subarray(20), spender));
}
