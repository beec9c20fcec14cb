import { describe, expect, it } from '@jest/globals';
import type { AnswerCache } from '../../src/ports.ts';

/** The contract of every cache of answers. @param open returns the cache under test, always the same one */
export function describeAnswerCache(open: () => AnswerCache): void {
  describe('a cache of answers', () => {
    it('returns exactly what was stored', async () => {
      const answer =
        '{"token_name":"<script>\\u0000 Ω 🦄","balance":"115792089237316195423570985008687907853269984665640564039457584007913129639935"}';
      await open().set('balance:0xa:0xb:0xhash', answer);
      expect(await open().get('balance:0xa:0xb:0xhash')).toBe(answer);
    });

    it('returns nothing for an unknown key', async () => {
      await open().set('native:0xa:0xhash', 'kept');
      expect(await open().get('native:0xa:0xother')).toBeUndefined();
    });

    it('keeps concurrent entries apart', async () => {
      const keys = Array.from({ length: 200 }, (_, i) => `key:${i}`);
      await Promise.all(keys.map((key) => open().set(key, `answer to ${key}`)));
      expect(await Promise.all(keys.map((key) => open().get(key)))).toEqual(
        keys.map((key) => `answer to ${key}`),
      );
    });
  });
}
