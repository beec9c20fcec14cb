import { describe, expect, it } from '@jest/globals';
import { eventsIn, readLogs } from './read-log.ts';

const RANGE = { from: 10, to: 12 };
const HASH = { 10: `0x${'aa'.repeat(32)}`, 11: `0x${'bb'.repeat(32)}`, 12: `0x${'cc'.repeat(32)}` };
const [A, B] = [`0x${'1a'.repeat(20)}`, `0x${'2b'.repeat(20)}`];
const TRANSFER = `0x${'dd'.repeat(32)}`;

type Fields = Readonly<Record<string, unknown>>;
const log = (block: 10 | 11 | 12, address: string, fields: Fields = {}) => ({
  blockNumber: `0x${block.toString(16)}`,
  blockHash: HASH[block],
  address,
  topics: [TRANSFER],
  ...fields,
});
const BLOCKS = {
  topics: [TRANSFER],
  start() {
    const found: number[] = [];
    return { found, take: (_log: unknown, { number }: { number: number }) => void found.push(number) };
  },
  join: (first: number[], second: number[]) => [...first, ...second],
};
const read = (...logs: unknown[]) => readLogs('a node', logs, RANGE, BLOCKS);

describe('the logs of a range', () => {
  it('are taken in their order, each with its block', () => {
    const { count, found, hashes } = read(log(10, A), log(10, B), log(12, A));
    expect(count).toBe(3);
    expect(found).toEqual([10, 10, 12]);
    expect([...hashes]).toEqual([
      [10, HASH[10]],
      [12, HASH[12]],
    ]);
  });

  it('of one contract are no other’s, in whatever case its address is written', () => {
    const of = { ...BLOCKS, address: A };
    const own = log(10, A.replaceAll('a', 'A'));
    expect(readLogs('a node', [own], RANGE, of).count).toBe(1);
    expect(() => readLogs('a node', [own, log(10, B)], RANGE, of)).toThrow('do not match the request');
    const receipts = [{ logs: [log(10, B), own] }, {}, { logs: [log(10, A, { topics: [A] }), {}] }];
    expect(eventsIn('a node', receipts, of)).toEqual([own]);
    expect(() => eventsIn('a node', null, of)).toThrow('a node has no receipts of the block');
  });

  const wrong: readonly [string, Fields][] = [
    ['no topics', { topics: undefined }],
    ['an empty list of topics', { topics: [] }],
    ['topics that are no list', { topics: TRANSFER }],
    ['another topic', { topics: [`0x${'00'.repeat(32)}`] }],
    ['no block', { blockNumber: undefined, blockHash: undefined }],
    ['a block outside of the range', { blockNumber: '0xd' }],
    ['a malformed hash', { blockHash: '0xaa' }],
    ['another hash for a height that has one', { blockHash: HASH[11] }],
    ['a removal', { removed: true }],
  ];

  it.each(wrong)('are refused where one has %s: the first, or any behind a good one', (_, fields) => {
    const fault = 'a node returned logs that do not match the request';
    const isAlone = fields.blockHash !== HASH[11];
    if (isAlone) expect(() => read(log(10, A, fields))).toThrow(fault);
    expect(() => read(log(10, A), log(10, A, fields))).toThrow(fault);
    expect(() => read(log(10, A), log(10, B), log(10, A, fields))).toThrow(fault);
  });
});
