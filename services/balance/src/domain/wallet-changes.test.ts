import { describe, expect, it } from '@jest/globals';
import type { ChangesReading } from './changes.ts';
import { mergeChanges } from './wallet-changes.ts';

/** An asset that was read up to a block, with a change in each of some blocks. */
function asset(name: string, through: number, blocks: readonly number[]) {
  const changes = blocks.map((number) => ({ block: { number } }));
  const reading = { through: { number: through }, changes } as unknown as ChangesReading;
  return { asset: `0x${name}`, reading };
}

const merged = (limit: number, ...assets: ReturnType<typeof asset>[]) => {
  const { through, changes } = mergeChanges(assets, limit);
  return [through, changes.map(({ asset: of, change }) => `${of} ${change.block.number}`)];
};

describe('changes of several assets', () => {
  it('are one list by block, then in the order of the assets', () => {
    expect(merged(9, asset('a', 50, [10, 30]), asset('b', 50, [10, 20]))).toEqual([
      50,
      ['0xa 10', '0xb 10', '0xb 20', '0xa 30'],
    ]);
  });

  it('end where the first of them was not read further', () => {
    expect(merged(9, asset('a', 50, [10, 30]), asset('b', 20, [20]))).toEqual([20, ['0xa 10', '0xb 20']]);
  });

  it('have all changes of the last block that has room', () => {
    expect(merged(2, asset('a', 50, [10, 20, 30]), asset('b', 50, [20]))).toEqual([
      20,
      ['0xa 10', '0xa 20', '0xb 20'],
    ]);
  });
});
