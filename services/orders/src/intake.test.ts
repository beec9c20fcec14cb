/** Orders of accounts that have, or had, code: the contract's word and the key's. */
import { afterEach, expect, it, jest } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import type { ContractVerdict } from '@hindsight/chain/tokens/erc1271.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { signedOrders } from '../test/support/fixtures.ts';
import { recoverSigner } from './adapters/recover-signer.ts';
import type { OrderPayload } from './domain/order.ts';
import { RefusedOrder } from './domain/refusal.ts';
import { Intake, type IntakeDeps } from './intake.ts';

const [order] = signedOrders().filter(({ title }) => title.startsWith('Dutch_V2 exclusive'));

/** The outcome of an order that its account's key has signed. @param verdicts of its contract, at the known head and at a new one */
async function take(...verdicts: readonly ContractVerdict[]) {
  const left = [...verdicts];
  const stores = {
    orders: { insert: async () => 'stored', has: async () => false },
    pending: { add: async () => 'stored' },
  } as unknown as IntakeDeps['stores'];
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
const PENDING = { duplicate: false, pending: true };

it.each<[string, readonly ContractVerdict[], unknown]>([
  ['code that confirms it', ['right'], STORED],
  ['code that is gone at the known head', ['no-contract'], STORED],
  ['code that does not answer in time', ['unknown'], PENDING],
  ['code that does not answer at a new head in time', ['wrong', 'unknown'], PENDING],
  ['code that is gone since', ['wrong', 'no-contract'], STORED],
  ['code that confirms it by now', ['wrong', 'right'], STORED],
  ['code that does not confirm it', ['wrong', 'wrong'], 'refused'],
])('an order that is signed by an account with %s: %j', async (_what, verdicts, receipt) => {
  expect(await take(...verdicts)).toEqual({ receipt, left: 0 });
});

/** An order that only a contract could have signed. */
async function takeUnsigned(parts: {
  readonly check: IntakeDeps['contracts']['check'];
  readonly insert?: 'stored' | 'duplicate';
  readonly has?: boolean;
  readonly add?: 'stored' | 'duplicate';
}) {
  const calls: string[] = [];
  const call = (name: string, outcome: unknown) => async () => {
    calls.push(name);
    return outcome;
  };
  const intake = new Intake({
    stores: {
      orders: { insert: call('insert', parts.insert), has: call('has', parts.has) },
      pending: { add: call('add', parts.add) },
    } as unknown as IntakeDeps['stores'],
    contracts: { hasCode: async () => true, check: parts.check },
    recovery: async () => (hash, signature) =>
      signature === (order!.body as unknown as OrderPayload).signature
        ? null
        : recoverSigner(hash, signature),
    clock: { now: () => order!.validAt * 1000 },
    logger: createLogger({ name: 'test', level: 'silent' }),
    onStored: () => void calls.push('told'),
  });
  const chain = { name: ETH_MAINNET.name, chainId: ETH_MAINNET.chainId };
  return { receipt: await intake.take(order!.body as never, chain, 'p'), calls };
}

it.each<[what: string, verdict: ContractVerdict, stores: object, duplicate: boolean, calls: string[]]>([
  ['is published', 'right', { insert: 'stored' }, false, ['insert', 'told']],
  ['is known already', 'right', { insert: 'duplicate' }, true, ['insert']],
  ['waits for a node', 'unknown', { has: false, add: 'stored' }, false, ['has', 'add', 'told']],
  ['waits already', 'unknown', { has: false, add: 'duplicate' }, true, ['has', 'add']],
  ['was verified before', 'unknown', { has: true }, true, ['has']],
])('an order %s, and is told only where it is new', async (_what, verdict, stores, duplicate, calls) => {
  const pending = calls.includes('add');
  const taken = await takeUnsigned({ ...stores, check: async () => verdict });
  expect(taken).toEqual({ receipt: { duplicate, pending }, calls });
});

afterEach(() => void jest.restoreAllMocks());

it('the contract has what is left of the time that its sender waits', async () => {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const limits: number[] = [];
  const check: IntakeDeps['contracts']['check'] = async (_question, { timeoutMs }) => {
    limits.push(timeoutMs);
    now += 70;
    return limits.length === 1 ? 'wrong' : 'right';
  };
  now = 5;
  await takeUnsigned({ check, insert: 'stored' });
  expect(limits).toEqual([60, 0]);
});
