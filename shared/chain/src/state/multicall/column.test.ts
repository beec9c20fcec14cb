import { describe, expect, it } from '@jest/globals';
import { cases } from '@hindsight/kernel/test/support/rounds.ts';
import fc from 'fast-check';
import { balanceOfCall } from '../../tokens/token-facts.ts';
import { columnBytes, decodeColumn, encodeColumn, itemsOf, valueOf, type Column } from './column.ts';
import { bytesOf, bytesReturned, decodeMulticall, encodeItems } from './multicall.ts';

const GAS = 1_000_000;
const HEAD = `8a3c5e17f4d2b690${'00'.repeat(56)}`;
const STATUS = { failed: 0, ok: 1, starved: 2 } as const;

const digits = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((own) => Buffer.from(own).toString('hex'));
const accounts = fc.array(
  digits(20).map((own) => `0x${own}`),
  { minLength: 1, maxLength: 40 },
);
const token = digits(20).map((own) => `0x${own}`);
const column = fc
  .record({ isWei: fc.boolean(), orLess: fc.boolean(), token, accounts })
  .map(({ isWei, orLess, token: of, accounts: own }): Column => {
    if (isWei) return { of: (target) => ({ kind: 'wei', target }), accounts: own };
    return { of: (holder) => ({ ...balanceOfCall(of, holder), orLess }), accounts: own };
  });

/** A result of a call as the program writes it. */
const callResult = fc
  .record({
    status: fc.constantFrom('ok', 'ok', 'ok', 'failed', 'starved'),
    gasUsed: fc.constantFrom(0, 2_600, 0.9 * GAS - 1, 0.9 * GAS, GAS),
    size: fc.constantFrom(0, 31, 32, 32, 32, 33, 96),
    word: fc.oneof(
      digits(32),
      digits(8).map((own) => own.padStart(64, '0')),
    ),
  })
  .map(({ status, gasUsed, size, word }) => {
    const head = Buffer.alloc(9);
    head[0] = STATUS[status as 'ok'];
    head.writeUInt32BE(gasUsed, 1);
    head.writeUInt32BE(size, 5);
    return head.toString('hex') + word.slice(0, 2 * Math.min(32, size));
  });
const weiResult = fc.oneof(
  { weight: 9, arbitrary: digits(32).map((word) => `01${'00'.repeat(8)}${word}`) },
  { weight: 1, arbitrary: fc.constant(`02${'00'.repeat(8)}`) },
);

describe('a column', () => {
  it('is written as the items that it stands for', () => {
    fc.assert(
      fc.property(column, (own) => {
        const items = itemsOf(own);
        expect(encodeColumn(own)).toEqual({ input: encodeItems(items), returned: bytesReturned(items) });
        const { taken, repeated, returned } = columnBytes(items[0]!);
        const others = items.length - 1;
        expect({ taken: taken + others * repeated, returned: items.length * returned }).toEqual(
          bytesOf(items),
        );
      }),
      cases(100),
    );
  });

  it('has the values of the results of those items, and the gas that they used', () => {
    fc.assert(
      fc.property(column, fc.infiniteStream(callResult), fc.infiniteStream(weiResult), (own, calls, weis) => {
        const items = itemsOf(own);
        const answers = items.map(({ kind }) => (kind === 'wei' ? weis : calls).next().value as string);
        const answer = `0x${HEAD}${answers.join('')}`;
        const { results, ...head } = decodeMulticall(answer, items);
        const values = results.map((result, i) =>
          result.status === 'starved' ? result.status : valueOf(result, items[i]!),
        );
        const burned = results.reduce((sum, one) => sum + ('gasUsed' in one ? one.gasUsed : 0), 0);
        expect(decodeColumn(answer, own)).toEqual({ ...head, values, burned });
      }),
      cases(200),
    );
  });

  const holders = ['11', '22'].map((byte) => `0x${byte.repeat(20)}`);
  const balances: Column = {
    of: (holder) => balanceOfCall(`0x${'33'.repeat(20)}`, holder),
    accounts: holders,
  };
  const result = (status: string, size: number, data: string): string =>
    `${status}00000000${size.toString(16).padStart(8, '0')}${data}`;
  const one = result('01', 32, '7'.padStart(64, '0'));

  it('says if a call was burnt, reverted, or answered less than a number', () => {
    const used = (gas: number): string => `00${gas.toString(16).padStart(8, '0')}00000000`;
    const four = { ...balances, accounts: [...holders, ...holders] };
    const short = result('01', 31, '00'.repeat(31));
    const answer = `0x${HEAD}${used(0.9 * GAS)}${used(0.9 * GAS - 1)}${short}${one}`;
    expect(decodeColumn(answer, four).values).toEqual(['burnt', 'reverted', 'reverted', 7n]);
  });

  it.each([
    ['no answer of the program', `0x${'00'.repeat(64)}${one}${one}`],
    ['an answer for fewer accounts', `0x${HEAD}${one}`],
    ['a result that is cut', `0x${HEAD}${one}${one.slice(0, -2)}`],
    ['an answer for more accounts', `0x${HEAD}${one}${one}${one}`],
    ['an unknown status', `0x${HEAD}${one}${result('03', 0, '')}`],
  ])('is not read from %s', (_what, answer) => {
    expect(() => decodeColumn(answer, balances)).toThrow(TypeError);
  });
});
