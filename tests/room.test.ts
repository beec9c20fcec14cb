import { expect, it } from '@jest/globals';
import { mustRest } from './room.ts';

it('lets workers beyond the cores rest on a crowded machine, and no other', () => {
  const crowded = [1, 2, 3, 5].filter((worker) => mustRest({ worker, cores: 2, load: 12.1 }));
  expect(crowded).toEqual([3, 5]);
  const busy = [1, 2, 3, 5].filter((worker) => mustRest({ worker, cores: 2, load: 12 }));
  expect(busy).toEqual([]);
});
