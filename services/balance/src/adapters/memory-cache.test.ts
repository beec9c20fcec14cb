import { describe, expect, it } from '@jest/globals';
import { describeAnswerCache } from '../../test/adapters/answer-cache.contract.ts';
import { createMemoryCache } from './memory-cache.ts';

const cache = createMemoryCache(1_000_000);
describeAnswerCache(() => cache);

describe('the cache in memory', () => {
  it('stays within its bound over 200,000 distinct answers, and keeps the newest', async () => {
    const bounded = createMemoryCache(100_000);
    const answer = 'x'.repeat(450);
    for (let i = 0; i < 200_000; i++) await bounded.set(`key:${i}`, answer);
    const kept = await Promise.all(Array.from({ length: 200_000 }, (_, i) => bounded.get(`key:${i}`)));
    const count = kept.filter((value) => value !== undefined).length;
    expect(count).toBeGreaterThan(10);
    expect(count * answer.length * 2).toBeLessThan(100_000);
    expect(kept.at(-1)).toBe(answer);
  });
});
