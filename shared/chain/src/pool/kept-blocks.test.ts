import { expect, it } from '@jest/globals';
import { NodeError } from '../rpc/node-error.ts';
import { KeptBlocks } from './kept-blocks.ts';

const balanceAt = (height: number) => ({
  method: 'eth_getBalance',
  params: ['0x', `0x${height.toString(16)}`],
});
const MISSING = { error: new NodeError('missing-state', 'pruned') };

it('the highest block without a state counts, until that or a lower one has it', () => {
  const kept = new KeptBlocks({ now: () => 0 });
  for (const height of [5, 3]) kept.noteAnswers([balanceAt(height)], [MISSING]);
  expect(kept.oldest(100)).toEqual({ state: 6 });
  kept.noteAnswers([balanceAt(6)], [{ result: '0x0' }]);
  expect(kept.oldest(100)).toEqual({ state: 6 });
  kept.noteAnswers([balanceAt(5)], [{ result: '0x0' }]);
  expect(kept.oldest(100)).toEqual({});
});

it('calls that are of use alone lack blocks where all of them do; no call lacks any', () => {
  const kept = new KeptBlocks({ now: () => 0 });
  kept.noteAnswers([balanceAt(5)], [MISSING]);
  const lacks = (heights: readonly number[], independent: boolean): boolean =>
    kept.lacks({ calls: heights.map(balanceAt), independent }, 100);
  for (const independent of [true, false]) {
    expect(lacks([], independent)).toBe(false);
    expect(lacks([6], independent)).toBe(false);
    expect(lacks([4, 5], independent)).toBe(true);
    expect(lacks([5, 6], independent)).toBe(!independent);
  }
});

it('a proof without a node proves nothing', () => {
  const kept = new KeptBlocks({ now: () => 0 });
  for (const result of [null, {}, { accountProof: [] }]) kept.noteOldProof({ result }, 1);
  expect(kept.knowsProofs).toBe(false);
  kept.noteOldProof({ result: { accountProof: ['0xc0'] } }, 1);
  expect(kept.knowsProofs).toBe(true);
});

it('a word is taken as far as it is understood', () => {
  const kept = new KeptBlocks({ now: () => 0 });
  const window = { type: 'window', retentionBlocks: '0xa' };
  kept.noteWord({
    state: { deleteStrategy: window },
    logs: { disabled: true },
    stateproofs: { oldestBlock: 5 },
  });
  expect(kept.oldest(100)).toEqual({ state: 91, logs: Infinity });
  for (const word of [null, 5, { state: null }, { state: { deleteStrategy: { type: 'window' } } }]) {
    kept.noteWord(word);
    expect(kept.oldest(100)).toEqual({});
  }
});
