import { expect, it } from '@jest/globals';
import { nextLink } from './next-link.ts';

it('asks the same again with other parameters, and without those that are left out', () => {
  const changes = { after: '0x2', page: undefined, block_hash: '0x3' };
  expect(nextLink('/v1/a/b?limit=5&page=2&after=0x1', changes)).toBe(
    '</v1/a/b?limit=5&after=0x2&block_hash=0x3>; rel="next"',
  );
});
