import { describe, expect, it } from '@jest/globals';
import { typedValues } from '@hindsight/chain/test/support/abi-values.ts';
import { AbiCoder, Interface } from 'ethers';
import fc from 'fast-check';
import { toAnswer } from './call.ts';
import { ChecksumBudget, encodeCall } from './encode.ts';
import { readRevert } from './revert.ts';
import { parseFunction } from './signature.ts';

describe('calls', () => {
  it('are encoded as ethers does, for any types and values', () => {
    fc.assert(
      fc.property(typedValues, ({ types, values }) => {
        const data = encodeCall(parseFunction(`f(${types})`), values.map(toAnswer), 'args[0]');
        expect(data).toBe(new Interface([`function f(${types})`]).encodeFunctionData('f', values));
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('repeat the signature in full, with the selector of its types', () => {
    expect(parseFunction('  function  balanceOf(address who)  external view returns(uint) ')).toMatchObject({
      text: 'balanceOf(address who) view returns (uint256)',
      selector: '0x70a08231',
    });
  });
});

describe('arguments that are too long', () => {
  /** A list of `length` elements that counts which of them are read. */
  function counted(length: number, element: unknown): { list: unknown[]; read: () => number } {
    let read = 0;
    const list = new Proxy(
      Array.from({ length }, () => element),
      {
        get(target, key, receiver): unknown {
          if (typeof key === 'string' && /^\d+$/.test(key)) read += 1;
          return Reflect.get(target, key, receiver);
        },
      },
    );
    return { list, read: () => read };
  }
  const TOO_LONG = 'args[0]: its arguments take more than 4096 bytes';

  it.each([
    ['string[][][][]', [[['']]]],
    ['uint256[][]', []],
    ['uint256[]', '0'],
    ['string[]', ''],
    ['address[]', '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8'],
    ['bool[]', true],
    ['(uint256,string)[]', ['0', '']],
    ['uint256[3][]', ['0', '0', '0']],
  ])('are refused before a value of them is read: %s', (type, element) => {
    const { list, read } = counted(100_000, element);
    expect(() => encodeCall(parseFunction(`f(${type})`), [list], 'args[0]')).toThrow(TOO_LONG);
    expect(read()).toBe(0);
  });

  it('are refused within the inner list that no longer fits', () => {
    const { list, read } = counted(60, ['0', '0']);
    expect(() => encodeCall(parseFunction('f(uint256[][])'), [list], 'args[0]')).toThrow(TOO_LONG);
    // 62 words of the outer list, and three for each inner one, of 127.
    expect(read()).toBe(22);
  });

  it('fit up to 127 words', () => {
    const called = parseFunction('f(uint256[])');
    const words = (length: number): unknown[] => [Array.from({ length }, () => '1')];
    expect(encodeCall(called, words(125), 'args[0]')).toHaveLength(2 + 8 + 64 * 127);
    expect(() => encodeCall(called, words(126), 'args[0]')).toThrow(TOO_LONG);
  });

  it.each([
    ['string', (length: number) => 'x'.repeat(length)],
    ['string', (length: number) => '\u20ac'.repeat(length / 3)],
    ['bytes', (length: number) => `0x${'00'.repeat(length)}`],
  ])('fit as %s of 4,000 bytes, and no longer', (type, text) => {
    const called = parseFunction(`f(${type})`);
    expect(encodeCall(called, [text(3_999)], 'args[0]')).toHaveLength(2 + 8 + 64 * 127);
    expect(() => encodeCall(called, [text(4_002)], 'args[0]')).toThrow(TOO_LONG);
  });
});

describe('an argument that does not fit its type', () => {
  it.each([
    ['f(uint8[][])', [[['1'], ['1', '256']]], 'args[0][0][1][1]: 256 is no uint8; expected 0 to 255'],
    ['f((address to,uint256 n)[] rows)', [[{ to: '0x', n: '1' }]], 'args[0][0][0].to: expected an address'],
    ['f((address to,uint256 n)[] rows)', [[{ n: '1' }]], 'args[0][0][0].to: it is missing'],
    ['f((uint256,bool))', [['1', 2]], 'args[0][0][1]: expected true or false'],
  ])('is named by its path: %s', (signature, args, message) => {
    expect(() => encodeCall(parseFunction(signature), args, 'args[0]')).toThrow(message);
  });

  it('is a checksummed address beyond those that a request may have', () => {
    const address = '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8';
    const called = parseFunction('f(address)');
    const rows = 100;
    const checksums = new ChecksumBudget(rows);
    for (let i = 0; i < 4 * rows; i++) encodeCall(called, [address], 'args[0]', checksums);
    expect(() => encodeCall(called, [address], 'args[9]', checksums)).toThrow(
      'args[9][0]: it is one checksummed address too many: a request may have 4 for each row, and 256 at least; ' +
        'send addresses in lower case',
    );
    expect(() => encodeCall(called, [address.toLowerCase()], 'args[9]', checksums)).not.toThrow();
  });

  it('may be one of 256 checksummed addresses where there are few rows', () => {
    const checksums = new ChecksumBudget(1);
    expect(Array.from({ length: 257 }, () => checksums.take()).lastIndexOf(true)).toBe(255);
  });
});

describe('a revert', () => {
  const coder = AbiCoder.defaultAbiCoder();
  const bytes = (selector: string, type: string, value: unknown): Buffer =>
    Buffer.from(selector + coder.encode([type], [value]).slice(2), 'hex');

  it.each([
    ['Error(string)', bytes('08c379a0', 'string', 'not enough'), 'not enough'],
    ['Panic(uint256)', bytes('4e487b71', 'uint256', 0x12), 'Panic(0x12): a division by zero'],
    ['an unknown panic', bytes('4e487b71', 'uint256', 2n ** 255n), /^Panic\(0x80{63}\): an unknown panic$/],
    ['a custom error', bytes('deadbeef', 'uint256', 1), null],
    ['nothing', Buffer.alloc(0), null],
    ['a broken Error(string)', bytes('08c379a0', 'uint256', 77), null],
  ])('with %s', (_what, data, reason) => {
    expect(readRevert(data)).toEqual({
      reason: reason instanceof RegExp ? expect.stringMatching(reason) : reason,
      data: `0x${data.toString('hex')}`,
    });
  });
});
