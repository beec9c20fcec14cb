/** A node that keeps some of the past comes first for that, and last for the rest. */
import { describe, expect, it } from '@jest/globals';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import type { Failover } from '../../src/pool/failover.ts';
import { nodeReadiness } from '../../src/readiness.ts';
import { resultOf, type RpcCall } from '../../src/rpc/node.ts';
import { hex, pairForEachTest } from '../support/failover-pair.ts';
import type { HostileNode } from '../support/hostile-node.ts';

const pair = pairForEachTest();
const OLDEST = CHAIN.head - 10;

const balanceAt = (height: number): RpcCall => ({
  method: 'eth_getBalance',
  params: [HOLDERS.alice, hex(height)],
});
const logsFrom = (height: number): RpcCall => ({
  method: 'eth_getLogs',
  params: [{ fromBlock: hex(height), toBlock: hex(height) }],
});

/** The first node reports its limits, though it has everything; the second cannot report any. */
async function openWith(capabilities: unknown): Promise<Failover> {
  pair.first.behave({
    distorts: true,
    kind: 'says',
    method: 'eth_capabilities',
    result: capabilities,
  });
  const node = pair.open([pair.first, pair.second]);
  await pair.settle(node);
  return node;
}

/** The node that answered. */
async function askedBy(
  node: Failover,
  calls: readonly RpcCall[],
  independent = false,
): Promise<HostileNode[]> {
  const before = [pair.first.requests, pair.second.requests];
  for (const outcome of await node.send(calls, { independent })) resultOf(outcome);
  return [pair.first, pair.second].filter(({ requests }, i) => requests > before[i]!);
}

describe('what a node says that it keeps', () => {
  const fromOldest = { disabled: false, oldestBlock: hex(OLDEST) };

  it('decides which is asked for state, logs and proofs', async () => {
    const node = await openWith({ state: fromOldest, logs: { disabled: true }, stateproofs: null });
    expect(await askedBy(node, [balanceAt(OLDEST)])).toEqual([pair.first]);
    expect(await askedBy(node, [balanceAt(OLDEST - 1)])).toEqual([pair.second]);
    expect(await askedBy(node, [logsFrom(OLDEST)])).toEqual([pair.second]);
    expect(await nodeReadiness(node).check()).toContain(
      `, state from ${OLDEST}, no logs, stateproofs from ${CHAIN.genesis};`,
    );
  });

  it('moves with the head where it drops what is older than a number of blocks', async () => {
    const deleteStrategy = { type: 'window', retentionBlocks: hex(11) };
    const node = await openWith({ state: { disabled: false, oldestBlock: '0x0', deleteStrategy } });
    expect(await askedBy(node, [balanceAt(OLDEST)])).toEqual([pair.first]);
    expect(await askedBy(node, [balanceAt(OLDEST - 1)])).toEqual([pair.second]);
    expect(node.health()[0]?.oldest).toEqual({ state: OLDEST });
  });

  it('is the better one for what it keeps of a mixture, unless one node must answer all of it', async () => {
    const node = await openWith({ state: fromOldest });
    const mixture = [balanceAt(OLDEST - 1), balanceAt(OLDEST)];
    expect(await askedBy(node, mixture, true)).toEqual([pair.first]);
    expect(await askedBy(node, mixture)).toEqual([pair.second]);
  });

  it('keeps none from being asked where no other answers', async () => {
    const node = await openWith({ state: fromOldest });
    pair.second.behave({ kind: 'reset' });
    expect(await askedBy(node, [balanceAt(OLDEST - 1)])).toEqual([pair.first, pair.second]);
  });

  it.each([
    ['nothing', null],
    ['a text', 'all'],
    ['a list', []],
    ['resources that are none', { state: 7, logs: 'all', stateproofs: [] }],
    ['heights that are none', { state: { disabled: false, oldestBlock: 'genesis' } }],
    ['a window that is none', { state: { deleteStrategy: { type: 'window', retentionBlocks: -1 } } }],
    ['no height', { state: { disabled: false } }],
  ])('is ignored where it is %s', async (_what, capabilities) => {
    const node = await openWith(capabilities);
    expect(node.health()[0]?.oldest).toEqual({});
    expect(await askedBy(node, [balanceAt(OLDEST - 1)])).toEqual([pair.first]);
  });
});

describe('a node that does not name its proofs', () => {
  const openWithProof = async (result: unknown): Promise<Failover> => {
    pair.first.behave({ distorts: true, kind: 'says', method: 'eth_getProof', result });
    const node = pair.open([pair.first, pair.second]);
    await pair.settle(node);
    return node;
  };

  it('proves all of the past if it proves the state of an old block', async () => {
    const node = await openWithProof({ accountProof: ['0xc0'] });
    expect(node.health().map(({ oldest }) => oldest)).toEqual([{ stateproofs: 1 }, {}]);
    expect(await nodeReadiness(node).check()).toContain(', stateproofs from 1');
  });

  it.each([[null], ['0x'], [{}], [{ accountProof: [] }]])('has shown nothing with %j', async (result) => {
    const node = await openWithProof(result);
    expect(node.health().map(({ oldest }) => oldest)).toEqual([{}, {}]);
  });
});

describe('what a node has answered', () => {
  it('that it lacks a state spares it questions about older ones, until it answers one', async () => {
    const node = pair.open([pair.first, pair.second]);
    await pair.settle(node);
    pair.first.behave({ distorts: true, kind: 'prune', floor: OLDEST, how: 'error' });
    expect(await askedBy(node, [balanceAt(OLDEST - 2)])).toEqual([pair.first, pair.second]);
    expect(node.health()[0]?.oldest).toEqual({ state: OLDEST - 1 });
    expect(await askedBy(node, [balanceAt(OLDEST - 50)])).toEqual([pair.second]);
    expect(await askedBy(node, [balanceAt(OLDEST)])).toEqual([pair.first]);
    pair.first.behave(undefined);
    pair.second.behave({ kind: 'reset' });
    await askedBy(node, [balanceAt(OLDEST - 50)]);
    expect(node.health()[0]?.oldest).toEqual({});
  });
});

it('the first proof of a chain that begins later is known once the nodes were asked for all that they keep', async () => {
  const node = pair.open([pair.first, pair.second]);
  await pair.settle(node);
  await node.learn({ timeoutMs: 5_000 });
  const shown = { stateproofs: CHAIN.genesis };
  expect(node.health().map(({ oldest }) => oldest)).toEqual([shown, shown]);
  expect(await nodeReadiness(node).check()).toContain(`, stateproofs from ${CHAIN.genesis}`);
});
