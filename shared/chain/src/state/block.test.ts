import { describe, expect, it } from '@jest/globals';
import { readBlock } from './block.ts';

const HEADER = {
  number: '0x1312d00',
  hash: `0x${'Ab'.repeat(32)}`,
  parentHash: `0x${'cd'.repeat(32)}`,
  timestamp: '0x665ba27f',
};

describe('a block that a node answers', () => {
  it('is read with its hashes in lower case', () => {
    expect(readBlock('node', HEADER)).toEqual({
      number: 20_000_000,
      hash: `0x${'ab'.repeat(32)}`,
      parentHash: HEADER.parentHash,
      timestamp: 1_717_281_407,
    });
  });

  it('is none where the node knows none', () => {
    expect(readBlock('node', null)).toBeNull();
  });

  it('has a time that can be written as a date', () => {
    const last = readBlock('node', { ...HEADER, timestamp: `0x${(253_402_300_799).toString(16)}` });
    expect(new Date(last!.timestamp * 1_000).toISOString()).toBe('9999-12-31T23:59:59.000Z');
  });

  it.each([
    ['a time that no date can express', { timestamp: `0x${(253_402_300_800).toString(16)}` }],
    ['a time beyond every number', { timestamp: `0x${'f'.repeat(64)}` }],
    ['no time', { timestamp: null }],
    ['a decimal height', { number: 20_000_000 }],
    ['half a hash', { hash: '0xabab' }],
    ['no parent', { parentHash: undefined }],
  ])('is malformed with %s', (_what, field) => {
    expect(() => readBlock('node', { ...HEADER, ...field })).toThrow(
      expect.objectContaining({ name: 'NodeError', kind: 'malformed' }),
    );
  });
});
