import { expect, it } from '@jest/globals';
import { SharedNodes } from './shared-nodes.ts';

it('numbers each node once, in the order in which the proofs have them', () => {
  const shared = new SharedNodes();
  expect(shared.add(['0xa0', '0xb0'])).toEqual([0, 1]);
  expect(shared.add(['0xa0', '0xc0', '0xb0'])).toEqual([0, 2, 1]);
  expect(shared.add([])).toEqual([]);
  expect(shared.nodes).toEqual(['0xa0', '0xb0', '0xc0']);
});
