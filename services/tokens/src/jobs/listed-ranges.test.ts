import { expect, it } from '@jest/globals';
import type { Checkpoint, TokenIndex } from '../ports.ts';
import { ListedRanges } from './listed-ranges.ts';

type Deps = ConstructorParameters<typeof ListedRanges>[0];

function over(start: Checkpoint): { readonly ranges: ListedRanges; readonly reported: string[] } {
  const reported: string[] = [];
  let checkpoint = start;
  const index = {
    resume: async () => checkpoint,
    addWords: async (base: Checkpoint, limit: number) =>
      (checkpoint = { ...base, words: Math.min(base.count, base.words + limit) }),
  } satisfies Partial<TokenIndex>;
  const reporter = { report: (state: string, detail: string) => reported.push(`${state}: ${detail}`) };
  const list = { listed: () => undefined };
  return { ranges: new ListedRanges({ index, reporter, list } as unknown as Deps), reported };
}

const BEFORE: Checkpoint = { from: 1, number: 9, hash: '0x9', count: 250, version: 3, words: 0 };

it('puts all tokens of an older version on the lists of their words before it goes on', async () => {
  const { ranges, reported } = over(BEFORE);
  expect(await ranges.resume(new AbortController().signal)).toEqual({ ...BEFORE, words: 250 });
  expect(new Set(reported)).toEqual(
    new Set(['indexing: tokens of an older version get onto the lists of the words in their names']),
  );
});

it('ends in between when the process stops', async () => {
  const { ranges } = over(BEFORE);
  await expect(ranges.resume(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});
