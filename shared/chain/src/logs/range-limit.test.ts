import { describe, expect, it } from '@jest/globals';
import { isRangeTooLarge } from '../rpc/error-texts.ts';
import { proposedBlocks } from './range-limit.ts';

const ASKED = { from: 0x1000, to: 0x1000 + 99_999 };

describe('A refusal of a range', () => {
  it.each([
    [
      'a range in hexadecimal',
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the ' +
        'response size. Based on your parameters, this block range should work: [0x1000, 0x1063]',
      100,
    ],
    [
      'a few results at a time',
      'query returned more than 10000 results. Try with this block range [0x1000, 0x100f].',
      16,
    ],
    ['a range in decimals', 'query exceeds max results 20000, retry with the range 4096-4195', 100],
    ['a number of blocks', 'query exceeds max block range 50000', 50_000],
    ['a number with a comma', 'eth_getLogs is limited to a 10,000 range', 10_000],
    ['thousands', 'You can make eth_getLogs requests with up to a 2K block range', 2_000],
    ['no number', 'block range is too wide', undefined],
    ['a number of results only', 'query returned more than 10000 results', undefined],
    ['more than was asked for', 'query exceeds max block range 500000', undefined],
    ['another range', 'Try with this block range [0x1, 0x5].', undefined],
    ['a maximum', 'Requested range exceeds maximum range limit: 5000', 5000],
  ])('that proposes %s', (_, text, blocks) => {
    expect(isRangeTooLarge(text)).toBe(true);
    expect(proposedBlocks(text, ASKED)).toBe(blocks);
  });

  it.each([
    'rate limit exceeded',
    'Too Many Requests',
    'your app has exceeded its compute units per second capacity',
    'missing trie node',
    'header not found',
  ])('is not meant by %j', (text) => {
    expect(isRangeTooLarge(text)).toBe(false);
  });
});
