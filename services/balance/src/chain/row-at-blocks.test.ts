import { expect, it } from '@jest/globals';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { readRowAtBlocks } from './row-at-blocks.ts';

const TOKEN = `0x${'1a'.repeat(20)}`;
const SEVEN = { status: 'ok', size: 32, data: Buffer.from('7'.padStart(64, '0'), 'hex') };

/** Amounts of a token that reverts or burns its gas in shared calls, and from some block on answers alone. */
async function amountsOf(
  blocks: readonly { readonly burns: boolean; readonly answers: boolean }[],
): Promise<unknown[]> {
  const failed = (gasUsed: number) => ({ status: 'failed', size: 0, gasUsed, data: Buffer.alloc(0) });
  const at = blocks.map((_, number) => ({ number, hash: String(number) }));
  const reader = {
    readEach: (questions: readonly { readonly block: { readonly number: number } }[]) =>
      Promise.resolve(
        questions.map(({ block: { number } }) => ({
          results: [failed(blocks[number]!.burns ? 1_000_000 : 100), { codeSize: 1 }],
        })),
      ),
    callDirectly: ({ number }: { readonly number: number }) =>
      Promise.resolve([blocks[number]!.answers ? SEVEN : failed(0)]),
  } as unknown as ChainReader;
  const row = { token: TOKEN, holder: TOKEN };
  const { amounts } = await readRowAtBlocks(reader, row, at as never, AbortSignal.timeout(60_000));
  return at.map(({ hash }) => amounts.get(hash));
}

const many = (count: number, burns: boolean, answers: boolean) =>
  Array.from({ length: count }, () => ({ burns, answers }));

it('reads a balance that wants more gas, however many blocks before had a revert', async () => {
  expect((await amountsOf([...many(40, false, false), ...many(2, true, true)])).slice(-3)).toEqual([
    'no-balance',
    7n,
    7n,
  ]);
});

it('does not say of what was not asked that it had no balance', async () => {
  const amounts = await amountsOf(many(35, true, false));
  expect(amounts.filter((amount) => amount !== 'no-balance')).toEqual(Array(3).fill('not-asked'));
});

it.each([true, false])(
  'reads the balances of a contract that answers later, wherever that begins: burns %j',
  async (burns) => {
    const amounts = await amountsOf([...many(400, burns, false), ...many(100, burns, true)]);
    expect(amounts.slice(399)).toEqual(['no-balance', ...Array<bigint>(100).fill(7n)]);
  },
);
