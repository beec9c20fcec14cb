import { describe, expect, it } from '@jest/globals';
import type { ChangesReading } from './changes.ts';
import type { ReadBlock } from './pinned.ts';
import { mergeChanges } from './wallet-changes.ts';

/** A change of a balance in a block, or by a block after another. */
type Given = number | { readonly after: number; readonly by: number };

/** An asset that was read up to a block, with a change in each of some blocks: its balance is the number of changes. */
function asset(name: string, through: number, given: readonly Given[]) {
  const changes = given.map((one, i) => {
    const { after, by } = typeof one === 'number' ? { after: one - 1, by: one } : one;
    return { afterBlock: after, block: { number: by }, before: BigInt(i), after: BigInt(i + 1) };
  });
  const reading = { through: { number: through }, changes } as unknown as ChangesReading;
  return { asset: `0x${name}`, reading };
}

/** @param happened the true block of the change that was read as one between two blocks */
async function mergedAt(happened: number, limit: number, ...assets: ReturnType<typeof asset>[]) {
  const { through, changes } = await mergeChanges(assets, limit, async (of, height) => {
    const { changes: read } = assets.find((one) => one.asset === of)!.reading;
    const isBefore = ({ afterBlock, block }: (typeof read)[number]): boolean =>
      block.number - afterBlock === 1 ? block.number <= height : happened <= height;
    return { block: { number: height } as ReadBlock, amount: BigInt(read.filter(isBefore).length) };
  });
  return [through, changes.map(({ asset: of, change }) => `${of} ${change.block.number}`)];
}
const merged = (limit: number, ...assets: ReturnType<typeof asset>[]) => mergedAt(NaN, limit, ...assets);

describe('changes of several assets', () => {
  it('are one list by block, then in the order of the assets', async () => {
    expect(await merged(9, asset('a', 50, [10, 30]), asset('b', 50, [10, 20]))).toEqual([
      50,
      ['0xa 10', '0xb 10', '0xb 20', '0xa 30'],
    ]);
  });

  it('end where the first of them was not read further', async () => {
    expect(await merged(9, asset('a', 50, [10, 30]), asset('b', 20, [20]))).toEqual([
      20,
      ['0xa 10', '0xb 20'],
    ]);
  });

  it('have all changes of the last block that has room', async () => {
    expect(await merged(2, asset('a', 50, [10, 20, 30]), asset('b', 50, [20]))).toEqual([
      20,
      ['0xa 10', '0xa 20', '0xb 20'],
    ]);
  });

  describe('of which one was read as a change somewhere between two blocks', () => {
    const wide = asset('a', 50, [{ after: 10, by: 40 }]);

    it('have it on the page that ends after it happened', async () => {
      expect(await mergedAt(15, 9, wide, asset('b', 20, [20]))).toEqual([20, ['0xa 20', '0xb 20']]);
    });

    it('leave it to the next page where it happened later', async () => {
      expect(await mergedAt(30, 9, wide, asset('b', 20, [20]))).toEqual([20, ['0xb 20']]);
    });

    it('end earlier where the page has no room for it', async () => {
      expect(await mergedAt(15, 2, wide, asset('b', 20, [12, 14]))).toEqual([14, ['0xb 12', '0xb 14']]);
    });
  });
});
