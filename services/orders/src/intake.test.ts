/** Orders of accounts that have, or had, code: the contract's word and the key's. */
import { expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import type { ContractVerdict } from '@hindsight/chain/tokens/erc1271.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { signedOrders } from '../test/support/fixtures.ts';
import { recoverSigner } from './adapters/recover-signer.ts';
import { RefusedOrder } from './domain/refusal.ts';
import { Intake, type IntakeDeps } from './intake.ts';

const [order] = signedOrders().filter(({ title }) => title.startsWith('Dutch_V2 exclusive'));

/** The outcome of an order that its account's key has signed. @param verdicts of its contract, at the known head and at a new one */
async function take(...verdicts: readonly ContractVerdict[]) {
  const left = [...verdicts];
  const stores = { orders: { insert: async () => 'stored' } } as unknown as IntakeDeps['stores'];
  const intake = new Intake({
    stores,
    contracts: { hasCode: async () => true, check: async () => left.shift()! },
    recovery: async () => recoverSigner,
    clock: { now: () => order!.validAt * 1000 },
    logger: createLogger({ name: 'test', level: 'silent' }),
    onStored: () => undefined,
  });
  const chain = { name: ETH_MAINNET.name, chainId: ETH_MAINNET.chainId };
  const receipt = await intake
    .take(order!.body as never, chain, 'p')
    .catch((error: unknown) => (error instanceof RefusedOrder ? 'refused' : error));
  return { receipt, left: left.length };
}

const STORED = { duplicate: false, pending: false };

it.each<[string, readonly ContractVerdict[], unknown]>([
  ['code that confirms it', ['right'], STORED],
  ['code that is gone at the known head', ['no-contract'], STORED],
  ['code that no node tells of', ['unknown'], STORED],
  ['code that is gone since', ['wrong', 'no-contract'], STORED],
  ['code that confirms it by now', ['wrong', 'right'], STORED],
  ['code that does not confirm it', ['wrong', 'wrong'], 'refused'],
])('an order that is signed by an account with %s: %j', async (_what, verdicts, receipt) => {
  expect(await take(...verdicts)).toEqual({ receipt, left: 0 });
});
