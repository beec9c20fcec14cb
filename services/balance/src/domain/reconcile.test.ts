import { expect, it } from '@jest/globals';
import type { BalanceChange } from './changes.ts';
import { explain } from './reconcile.ts';

const blockAt = (number: number) => ({ number, hash: `0x${number}`, timestamp: number, finalized: true });

/** A change in each block from 1 on. */
function changesOf(...steps: readonly [before: bigint | null, after: bigint | null, net: bigint][]) {
  return steps.map(([before, after, net], i): BalanceChange => ({
    ...{ afterBlock: i, block: blockAt(i + 1), transactions: [], before, after, net },
    cause: net === 0n ? 'state' : 'transfer',
  }));
}

const explained = (difference: bigint, changes: readonly BalanceChange[]) =>
  explain({ after: blockAt(0), by: blockAt(9), difference, changes, isComplete: true });

it('finds the change that is as large as the difference', () => {
  const changes = changesOf([6n, 4n, -2n], [4n, 9n, 5n]);
  expect(explained(5n, changes)).toEqual({ cause: 'transfer', change: changes[1] });
});

it('does not take a balance that the token did not tell for a change to zero', () => {
  const paused = changesOf([6n, null, 0n], [null, 6n, 0n]);
  expect(explained(-6n, paused)).toBeUndefined();
  const moved = changesOf([6n, null, 0n], [null, null, 7n], [null, 13n, 0n]);
  expect(explained(-7n, moved)).toBeUndefined();
});

it('counts what changed while the token did not tell it', () => {
  const changes = changesOf([6n, null, 0n], [null, null, 7n], [null, 15n, 0n]);
  expect(explained(2n, changes)).toEqual({ cause: 'state', change: null });
});
