import { describe, expect, it } from '@jest/globals';
import { AbiCoder, ParamType } from 'ethers';
import { cases } from '@hindsight/kernel/test/support/rounds.ts';
import fc from 'fast-check';
import { readStrictly } from './strict-abi.ts';

const TYPE = ParamType.from(
  'tuple(uint256,bytes,tuple(int256,uint256[])[],address,tuple(bytes,uint256),tuple(address,int256))',
);
const address = fc
  .bigInt({ min: 0n, max: 2n ** 160n - 1n })
  .map((n) => `0x${n.toString(16).padStart(40, '0')}`);
const signed = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n });
const small = fc.bigInt({ min: 0n, max: 9n });
const value = fc.tuple(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.uint8Array({ maxLength: 70 }),
  fc.array(fc.tuple(signed, fc.array(small, { maxLength: 3 })), { maxLength: 3 }),
  address,
  fc.tuple(fc.uint8Array({ maxLength: 33 }), small),
  fc.tuple(address, signed),
);
const coder = AbiCoder.defaultAbiCoder();
const encode = (values: unknown): string => coder.encode([TYPE], [values]);
const decode = (encoded: string): unknown => (coder.decode([TYPE], encoded).toArray(true) as unknown[])[0];

/** True if the library's encoder returns these bytes for the values that its decoder reads from them. */
function isCanonical(encoded: string): boolean {
  try {
    return encode(decode(encoded)) === encoded;
  } catch {
    return false;
  }
}

describe('the strict decoder', () => {
  it('reads what ethers reads from every canonical encoding', () => {
    const property = fc.property(value, (values) => {
      const encoded = encode(values);
      expect(readStrictly(TYPE, encoded)).toEqual(decode(encoded));
    });
    fc.assert(property, { seed: 1 });
  });

  it('accepts an encoding with a changed byte only if ethers would produce it', () => {
    const changed = fc.tuple(value, fc.nat(), fc.integer({ min: 1, max: 255 }));
    let taken = 0;
    const property = fc.property(changed, ([values, position, change]) => {
      const bytes = Buffer.from(encode(values).slice(2), 'hex');
      const at = position % bytes.length;
      bytes[at] = bytes[at]! ^ change;
      const encoded = `0x${bytes.toString('hex')}`;
      const read = readStrictly(TYPE, encoded);
      expect(read !== undefined).toBe(isCanonical(encoded));
      if (read === undefined) return;
      taken++;
      expect(read).toEqual(decode(encoded));
    });
    fc.assert(property, { ...cases(800), seed: 3 });
    expect(taken).toBeGreaterThan(20);
  });

  it('rejects missing and trailing bytes', () => {
    const property = fc.property(value, (values) => {
      const encoded = encode(values);
      expect(readStrictly(TYPE, encoded.slice(0, -64))).toBeUndefined();
      expect(readStrictly(TYPE, `${encoded}${'00'.repeat(32)}`)).toBeUndefined();
    });
    fc.assert(property, { seed: 2 });
  });

  it('rejects a length that exceeds the data', () => {
    const word = (n: bigint): string => n.toString(16).padStart(64, '0');
    for (const type of ['uint256[]', 'bytes'].map((name) => ParamType.from(name))) {
      for (const length of [1n, 2n ** 32n - 1n, 2n ** 53n, 2n ** 256n - 1n]) {
        expect(readStrictly(type, `0x${word(32n)}${word(length)}`)).toBeUndefined();
      }
    }
    expect(readStrictly(ParamType.from('uint256[]'), `0x${word(32n)}${word(0n)}`)).toEqual([]);
  });
});
