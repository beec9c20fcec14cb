/** Tokens that take fees, rebase and destroy themselves, on anvil, against its plain answers. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { anvilWithMortals } from './mortal.ts';
import { expectTrueMortals } from './mortal.contract.ts';
import { AS_SHIPPED } from './networks.ts';
import type { SeededNode } from './nodes.ts';

let node: SeededNode;
beforeAll(async () => {
  node = await anvilWithMortals();
});
afterAll(() => node.stop());

it('every endpoint is true of them at every block, on anvil', async () => {
  await expectTrueMortals(node, AS_SHIPPED);
  expect(node.name).toBe('anvil');
});
