/** Many questions of one caller at one block, on the dev chain. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { NETWORKS } from '../../src/networks.ts';
import { createJsonRpcNode } from '../../src/rpc/json-rpc.ts';
import type { EthereumNode } from '../../src/rpc/node.ts';
import type { Block } from '../../src/state/block.ts';
import type { CallItem, CallResult, MulticallItem } from '../../src/state/multicall/multicall.ts';
import type { CallOutcome } from '../../src/state/pinned-state.ts';
import { ChainReader } from '../../src/state/reader.ts';
import { balanceOfCall, readUint } from '../../src/tokens/token-facts.ts';

const { ledger } = buildPlan();
const HOLDER_LIST = Object.values(HOLDERS);
const UNI = TOKENS.uni.address;

/** Counts what a node is asked. */
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
  node = counted(createJsonRpcNode({ url: devchain.url, timeoutMs: 120_000 }));
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
const nobody = (i: number): string => `0x${(i + 1).toString(16).padStart(40, '0')}`;

const call = (target: string, more: Partial<CallItem> = {}): CallItem => ({
  ...balanceOfCall(target, HOLDERS.alice),
  ...more,
});

function resultsOf(outcome: CallOutcome | undefined): CallResult[] {
  if (outcome === undefined || 'error' in outcome) throw outcome?.error ?? new Error('no outcome');
  return outcome.results as CallResult[];
}

describe('many questions at one block', () => {
  it('ask 10,000 balances in at most 20 calls and 4 requests', async () => {
    const holders = Array.from({ length: 10_000 }, (_, i) => HOLDER_LIST[i] ?? nobody(i));
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
    const holders = Array.from({ length: 10_000 }, (_, i) => HOLDER_LIST[i] ?? nobody(i + 100));
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
});
