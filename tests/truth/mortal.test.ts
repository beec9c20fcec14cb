/** Tokens that take fees, rebase and destroy themselves, on anvil, against its plain answers. */
import { expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { anvilWithMortals } from './mortal.ts';
import { expectTrueMortals } from './mortal.contract.ts';
import { AS_SHIPPED } from './networks.ts';

const node = forAllTests(() => anvilWithMortals(), 'stop');

it('every endpoint is true of them at every block, on anvil', async () => {
  await expectTrueMortals(node, AS_SHIPPED);
  expect(node.name).toBe('anvil');
});
