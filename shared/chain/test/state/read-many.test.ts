/** Many questions of one caller at one block, on the dev chain. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { NETWORKS } from '../../src/networks.ts';
import { carriedJsonRpc } from '../support/carried-json-rpc.ts';
import type { EthereumNode } from '../../src/rpc/node.ts';
import type { Block } from '../../src/state/block.ts';
import type { CallItem, CallResult, MulticallItem } from '../../src/state/multicall/multicall.ts';
import type { CallOutcome } from '../../src/state/pinned-state.ts';
import { ChainReader } from '../../src/state/reader.ts';
import { balanceOfCall, readUint } from '../../src/tokens/token-facts.ts';

const { ledger } = buildPlan();
const HOLDER_LIST = Object.values(HOLDERS);
const UNI = TOKENS.uni.address;

/** Counts a node's calls. */
interface Counted extends EthereumNode {
  requests: number;
  calls: number;
}

let devchain: Devchain;
let node: Counted;
let reader: ChainReader;
let block: Block;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  node = counted(carriedJsonRpc({ url: devchain.url, timeoutMs: 120_000 }));
  reader = new ChainReader({ node, network: NETWORKS.get('eth-mainnet')!, clock: systemClock });
  ({ block } = await reader.read(CHAIN.head - 100, []));
});
afterAll(async () => {
  await node.close();
  await devchain.stop();
});

function counted(inner: EthereumNode): Counted {
  const node: Counted = {
    ...inner,
    requests: 0,
    calls: 0,
    send(calls, options) {
      node.requests += 1;
      node.calls += calls.length;
      return inner.send(calls, options);
    },
  };
  return node;
}

function askedBy(before: { requests: number; calls: number }): { requests: number; calls: number } {
  return { requests: node.requests - before.requests, calls: node.calls - before.calls };
}

/** An address that is no holder's. */
const unused = (i: number): string => `0x${(i + 1).toString(16).padStart(40, '0')}`;

function resultsOf(outcome: CallOutcome | undefined): CallResult[] {
  if (outcome === undefined || 'error' in outcome) throw new Error('no results', { cause: outcome?.error });
  return outcome.results as CallResult[];
}

describe('many questions at one block', () => {
  it('ask 10,000 balances in at most 20 calls and 4 requests', async () => {
    const holders = Array.from({ length: 10_000 }, (_, i) => HOLDER_LIST[i] ?? unused(i));
    const before = { ...node };
    const outcomes = await reader.readMany(
      block,
      holders.map((holder) => [balanceOfCall(UNI, holder)]),
    );
    const { requests, calls } = askedBy(before);
    expect(calls).toBeLessThanOrEqual(20);
    expect(requests).toBeLessThanOrEqual(4);
    const found = outcomes.map((outcome) => readUint(resultsOf(outcome)[0]));
    expect(found).toEqual(holders.map((holder) => ledger.balanceAt(UNI, holder, block.number)));
  });

  it('ask 10,000 accounts for their wei in at most 20 calls and 4 requests', async () => {
    const holders = Array.from({ length: 10_000 }, (_, i) => HOLDER_LIST[i] ?? unused(i + 100));
    const before = { ...node };
    const outcomes = await reader.readMany(
      block,
      holders.map((target): MulticallItem[] => [{ kind: 'wei', target }]),
    );
    const { requests, calls } = askedBy(before);
    expect(calls).toBeLessThanOrEqual(20);
    expect(requests).toBeLessThanOrEqual(4);
    const found = outcomes.map((outcome) => 'results' in outcome && outcome.results[0]);
    const wei = (holder: string) => ledger.nativeAt(holder, block.number);
    expect(found).toEqual(holders.map((holder) => ({ status: 'wei', wei: wei(holder) })));
  });

  it('ask 10,000 balances or wei of a column in as few', async () => {
    const accounts = Array.from({ length: 10_000 }, (_, i) => HOLDER_LIST[i] ?? unused(i + 200));
    const before = { ...node };
    const balances = await reader.readColumn(block, { of: (holder) => balanceOfCall(UNI, holder), accounts });
    const wei = await reader.readColumn(block, { of: (target) => ({ kind: 'wei', target }), accounts });
    const { requests, calls } = askedBy(before);
    expect(calls).toBeLessThanOrEqual(2 * 20);
    expect(requests).toBeLessThanOrEqual(2 * 4);
    expect(balances).toEqual(accounts.map((holder) => ledger.balanceAt(UNI, holder, block.number)));
    expect(wei).toEqual(accounts.map((holder) => ledger.nativeAt(holder, block.number)));
  });

  it('ask a column that burns its gas to the end', async () => {
    const accounts = Array.from({ length: 200 }, (_, i) => unused(i));
    const of = (holder: string): CallItem => balanceOfCall(CONTRACTS.gasBurner, holder);
    expect(await reader.readColumn(block, { of, accounts })).toEqual(accounts.map(() => 'burnt'));
  });

  it('ask a balance at each of 300 blocks in 3 requests', async () => {
    const blocks = await Promise.all(
      Array.from({ length: 300 }, (_, i) => reader.findBlock(CHAIN.head - 10 - (i % 290))),
    );
    const before = { ...node };
    const outcomes = await reader.readEach(
      blocks.map((own) => ({ block: own, items: [balanceOfCall(UNI, HOLDERS.alice)] })),
    );
    expect(askedBy(before).requests).toBeLessThanOrEqual(3);
    const found = outcomes.map((outcome) => readUint(resultsOf(outcome)[0]));
    expect(found).toEqual(blocks.map(({ number }) => ledger.balanceAt(UNI, HOLDERS.alice, number)));
  });

  it('is answered as it would be alone, whatever the others do', async () => {
    const honest = fc.constantFrom('uni', 'usdt', 'usdc', 'weth', 'mkr', 'steth').map((name): Asked => {
      const { address } = TOKENS[name as 'uni'];
      const { alice } = HOLDERS;
      const amount = ledger.balanceAt(address, alice, block.number);
      return { item: balanceOfCall(address, alice), status: 'ok', size: 32, amount };
    });
    const asked = fc.oneof(
      { weight: 12, arbitrary: honest },
      { weight: 1, arbitrary: fc.constantFrom(...HOSTILE) },
    );
    const property = fc.asyncProperty(
      fc.array(asked, { minLength: 1, maxLength: 700, size: 'max' }),
      async (all) => {
        const before = { ...node };
        const outcomes = await reader.readMany(
          block,
          all.map(({ item }) => [item]),
        );
        const found = outcomes.map((outcome) => {
          const result = resultsOf(outcome)[0]!;
          const { status, size } = result;
          return { status, size, amount: size === 32 ? readUint(result) : undefined };
        });
        expect(found).toEqual(all.map(({ status, size, amount }) => ({ status, size, amount })));
        // It ends whatever is burned: each round halves the calls.
        expect(askedBy(before).calls).toBeLessThanOrEqual(2 * all.length);
      },
    );
    await fc.assert(property, { numRuns: 12, seed: 1 });
  });

  it('all that burn their gas are asked to the end', async () => {
    const burner = HOSTILE[0]!.item;
    const outcomes = await reader.readMany(
      block,
      Array.from({ length: 200 }, () => [burner]),
    );
    for (const outcome of outcomes) {
      expect(resultsOf(outcome)[0]).toMatchObject({ status: 'failed', size: 0 });
    }
  });

  it('fails for the node’s reason where there is no such block', async () => {
    const hash = `0x${'ab'.repeat(32)}`;
    const outcomes = await reader.readMany({ ...block, hash }, [[balanceOfCall(UNI, HOLDERS.alice)]]);
    expect(outcomes).toMatchObject([{ error: { name: 'NodeError', kind: 'unknown-block' } }]);
    const column = { of: (holder: string) => balanceOfCall(UNI, holder), accounts: [HOLDERS.alice] };
    expect(await reader.readColumn({ ...block, hash }, column)).toMatchObject(outcomes);
  });
});

/** A question, and its outcome in a separate call. */
interface Asked {
  readonly item: CallItem;
  readonly status: string;
  readonly size: number;
  readonly amount?: bigint;
}

const HOSTILE: readonly Asked[] = [
  { item: balanceOfCall(CONTRACTS.gasBurner, HOLDERS.alice), status: 'failed', size: 0 },
  // Answers with a mebibyte.
  { item: balanceOfCall(CONTRACTS.huge, HOLDERS.alice), status: 'failed', size: 0 },
  {
    item: { ...balanceOfCall(CONTRACTS.huge, HOLDERS.alice), gas: 10_000_000 },
    status: 'ok',
    size: 1024 * 1024,
  },
  { item: balanceOfCall(CONTRACTS.short, HOLDERS.alice), status: 'ok', size: 4 },
  // No balances.
  { item: balanceOfCall(CONTRACTS.counter, HOLDERS.alice), status: 'failed', size: 0 },
  // No code.
  { item: balanceOfCall(HOLDERS.bob, HOLDERS.alice), status: 'ok', size: 0 },
];
