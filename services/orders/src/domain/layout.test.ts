import { describe, expect, it } from '@jest/globals';
import { AbiCoder, ParamType } from 'ethers';
import fc from 'fast-check';
import { isCanonicalLayout } from './layout.ts';

const TYPE = ParamType.from('tuple(uint256,bytes,tuple(uint256,uint256[])[],address,tuple(bytes,uint256))');
const value = fc.tuple(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.uint8Array({ maxLength: 70 }),
  fc.array(
    fc.tuple(fc.bigInt({ min: 0n, max: 9n }), fc.array(fc.bigInt({ min: 0n, max: 9n }), { maxLength: 3 })),
    {
      maxLength: 3,
    },
  ),
  fc.constant(`0x${'12'.repeat(20)}`),
  fc.tuple(fc.uint8Array({ maxLength: 33 }), fc.bigInt({ min: 0n, max: 9n })),
);
const encode = (values: unknown): string => AbiCoder.defaultAbiCoder().encode([TYPE], [values]);

describe('the canonical layout', () => {
  it('is what the encoder gives', () => {
    fc.assert(
      fc.property(value, (values) => isCanonicalLayout(TYPE, encode(values))),
      { seed: 1 },
    );
  });

  it('ends with the last part', () => {
    const property = fc.property(value, (values) => {
      const encoded = encode(values);
      return (
        !isCanonicalLayout(TYPE, encoded.slice(0, -64)) &&
        !isCanonicalLayout(TYPE, `${encoded}${'00'.repeat(32)}`)
      );
    });
    fc.assert(property, { seed: 2 });
  });

  it('survives anything: an answer, no error, for every change of a byte', () => {
    const changed = fc.tuple(value, fc.nat(), fc.integer({ min: 1, max: 255 }));
    const property = fc.property(changed, ([values, position, change]) => {
      const bytes = Buffer.from(encode(values).slice(2), 'hex');
      const at = position % bytes.length;
      bytes[at] = bytes[at]! ^ change;
      return typeof isCanonicalLayout(TYPE, `0x${bytes.toString('hex')}`) === 'boolean';
    });
    fc.assert(property, { seed: 3, numRuns: 500 });
  });

  it('is not an array of a length that there is no room for', () => {
    const word = (n: bigint): string => n.toString(16).padStart(64, '0');
    const list = ParamType.from('uint256[]');
    for (const length of [1n, 2n ** 32n - 1n, 2n ** 53n, 2n ** 256n - 1n]) {
      expect(isCanonicalLayout(list, `0x${word(32n)}${word(length)}`)).toBe(false);
    }
    expect(isCanonicalLayout(list, `0x${word(32n)}${word(0n)}`)).toBe(true);
  });
});
