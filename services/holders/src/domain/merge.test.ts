import { describe, expect, it } from '@jest/globals';
import { cases } from '@hindsight/kernel/test/support/rounds.ts';
import fc from 'fast-check';
import { mergeUpTo } from './merge.ts';

async function* inParts(addresses: readonly string[], size: number): AsyncGenerator<readonly string[]> {
  for (let from = 0; from < addresses.length; from += size) yield addresses.slice(from, from + size);
}
const ascending = (letters: readonly string[]): string[] => [...new Set(letters)].sort();

describe('two lists of addresses', () => {
  it('are one, each address once, in order, up to a number', async () => {
    const letters = fc.array(fc.constantFrom(...'abcdefghij'), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        letters,
        letters,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (some, others, limit, size) => {
          const merged = await mergeUpTo(limit, inParts(ascending(some), size), ascending(others));
          expect(merged).toEqual(ascending([...some, ...others]).slice(0, limit));
        },
      ),
      cases(200),
    );
  });
});
