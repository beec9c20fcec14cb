import { describe, expect, it } from '@jest/globals';
import { getAddress, keccak256, TypedDataEncoder } from 'ethers';
import fc from 'fast-check';
import { keccakOfHex } from './words.ts';
import { structHash } from './struct-hash.ts';

const TYPES = {
  Whole: [
    { name: 'parts', type: 'Part[]' },
    { name: 'signed', type: 'int256' },
    { name: 'data', type: 'bytes' },
    { name: 'list', type: 'int256[]' },
    { name: 'other', type: 'Other' },
  ],
  Part: [
    { name: 'owner', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
  Other: [{ name: 'part', type: 'Part' }],
};

const address = fc
  .bigInt({ min: 0n, max: 2n ** 160n - 1n })
  .map((n) => `0x${n.toString(16).padStart(40, '0')}`);
const signed = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n });
const part = fc.record({
  owner: address.map(getAddress),
  amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
});
const whole = fc.record({
  parts: fc.array(part, { maxLength: 4 }),
  signed,
  data: fc.uint8Array({ maxLength: 300 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  list: fc.array(signed, { maxLength: 4 }),
  other: fc.record({ part }),
});

/** A struct's members in their order, and theirs. */
function membersOf(type: string, value: unknown): unknown {
  const fields = (TYPES as Record<string, { name: string; type: string }[]>)[type.replace('[]', '')];
  if (fields === undefined) return value;
  if (type.endsWith('[]')) return (value as unknown[]).map((one) => membersOf(type.slice(0, -2), one));
  return fields.map(({ name, type: of }) => membersOf(of, (value as Record<string, unknown>)[name]));
}

describe('the hash of a struct', () => {
  it('equals that of ethers', () => {
    const [ours, theirs] = [structHash(TYPES), TypedDataEncoder.from(TYPES)];
    fc.assert(
      fc.property(whole, (value) =>
        expect(ours(membersOf('Whole', value) as unknown[])).toBe(theirs.hash(value)),
      ),
      { seed: 1 },
    );
  });

  it('rejects types that orders do not have', () => {
    expect(() => structHash({ One: [{ name: 'name', type: 'string' }] })).toThrow('string');
  });
});

describe('keccak', () => {
  it('equals that of ethers, for bytes of any length', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) =>
      expect(`0x${keccakOfHex(Buffer.from(bytes).toString('hex'))}`).toBe(keccak256(bytes)),
    );
    fc.assert(property, { seed: 2 });
  });
});
