/** Places of amounts by their keys: each layout's own, and no other where the index is known. */
import { describe, expect, it } from '@jest/globals';
import { solidityPackedKeccak256 as packed } from 'ethers';
import { parseBytes, toWord } from './bytes.ts';
import { explainKey } from './layouts.ts';

const [HOLDER, SPENDER] = [`0x${'a1'.repeat(20)}`, `0x${'5b'.repeat(20)}`];
const bytes = (hex: string): Uint8Array => parseBytes(hex)!;
const holder = [bytes(HOLDER)];
const both = [bytes(HOLDER), bytes(SPENDER)];
/** At the EIP-7201 location of `openzeppelin.storage.ERC20`. */
const NAMESPACE = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;

const entry = (index: bigint): Uint8Array => bytes(packed(['uint256', 'uint256'], [BigInt(HOLDER), index]));
const nested = (index: bigint): Uint8Array =>
  bytes(packed(['uint256', 'bytes32'], [BigInt(SPENDER), packed(['uint256', 'uint256'], [HOLDER, index])]));
const vyper = (index: bigint): Uint8Array => bytes(packed(['uint256', 'uint256'], [index, BigInt(HOLDER)]));
const soladyBalance = bytes(packed(['address', 'uint96'], [HOLDER, 0x87a211a2]));
const soladyAllowance = bytes(packed(['address', 'uint96', 'address'], [HOLDER, 0x7f5e9f20, SPENDER]));
const soladySupply = toWord(0x05345cdf77eb68f44cn);

describe('explainKey', () => {
  it.each([
    ['a balance of Solidity', entry(255n), holder, { layout: 'solidity', index: 255n }],
    ['one of the namespaced library', entry(NAMESPACE), holder, { layout: 'solidity', index: NAMESPACE }],
    ['one of Vyper', vyper(255n), holder, { layout: 'vyper', index: 255n }],
    ['one of Solady', soladyBalance, holder, { layout: 'solady', index: null }],
    ['an allowance of Solidity', nested(3n), both, { layout: 'solidity', index: 3n }],
    ['one of the namespaced library', nested(NAMESPACE + 1n), both, { index: NAMESPACE + 1n }],
    ['one of Solady', soladyAllowance, both, { layout: 'solady', index: null }],
    ['a supply', toWord(255n), [], { layout: 'variable', index: 255n }],
    ['one of the namespaced library', toWord(NAMESPACE + 2n), [], { index: NAMESPACE + 2n }],
    ['one of Solady', soladySupply, [], { layout: 'solady', index: null }],
  ])('finds %s', (_what, key, accounts, place) => {
    expect(explainKey(key, accounts)).toMatchObject(place);
  });

  it.each([
    ['a mapping after those that are tried', entry(256n), holder],
    ['the namespaced library’s allowances as balances', entry(NAMESPACE + 1n), holder],
    ['its balances as allowances', nested(NAMESPACE), both],
    ['the variable of a large index', toWord(256n), []],
    ['another variable of the namespaced library', toWord(NAMESPACE + 3n), []],
  ])('does not find %s', (_what, key, accounts) => {
    expect(explainKey(key, accounts)).toBeUndefined();
  });

  it('accepts no other place than that of a known index', () => {
    expect(explainKey(entry(1_000n), holder, 1_000n)).toEqual({ layout: 'solidity', index: 1_000n });
    expect(explainKey(entry(0n), holder, 1n)).toBeUndefined();
    expect(explainKey(entry(NAMESPACE), holder, 1n)).toBeUndefined();
    expect(explainKey(soladyBalance, holder, 1n)).toBeUndefined();
    expect(explainKey(soladyAllowance, both, 1n)).toBeUndefined();
    expect(explainKey(toWord(1_000n), [], 1_000n)).toEqual({ layout: 'variable', index: 1_000n });
    expect(explainKey(toWord(0n), [], 1n)).toBeUndefined();
    expect(explainKey(soladySupply, [], 1n)).toBeUndefined();
  });
});
