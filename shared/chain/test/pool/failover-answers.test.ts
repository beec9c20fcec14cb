import { describe, expect, it } from '@jest/globals';
import { CHAIN, HOLDERS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { resultOf, sendOne, type RpcCall } from '../../src/rpc/node.ts';
import { KEY, ask, hex, pairForEachTest } from '../support/failover-pair.ts';

const pair = pairForEachTest();

describe('an answer of a node', () => {
  const old: RpcCall = { method: 'eth_getBalance', params: [HOLDERS.alice, hex(CHAIN.head - 50)] };
  const pruned = { distorts: true, kind: 'prune', floor: CHAIN.head, how: 'error' } as const;

  it('that it lacks the state leads to the next node', async () => {
    pair.first.behave(pruned);
    const [outcome] = await pair.open([pair.first, pair.second]).send([old]);
    expect(resultOf(outcome)).toMatch(/^0x/);
  });

  it.each(['list', 'empty'] as const)(
    'that is nothing (%s) where a state should be sends us to the next',
    async (how) => {
      pair.first.behave({ ...pruned, how });
      const program = { data: '0x4360005260206000f3' };
      const node = pair.open([pair.first, pair.second]);
      const outcomes = await node.send([
        old,
        { method: 'eth_call', params: [program, hex(CHAIN.head - 50)] },
      ]);
      expect(Number(resultOf(outcomes[0]))).toBeGreaterThan(0);
      expect(Number(resultOf(outcomes[1]))).toBe(CHAIN.head - 50);
    },
  );

  it('is the error itself if no node has the state', async () => {
    pair.first.behave(pruned);
    pair.second.behave(pruned);
    const [outcome] = await pair.open([pair.first, pair.second]).send([old]);
    expect(outcome).toMatchObject({ error: { kind: 'missing-state' } });
  });

  it('that state is missing is not final while a node that may have it is down', async () => {
    pair.first.behave(pruned);
    pair.second.behave({ kind: 'reset' });
    await expect(pair.open([pair.first, pair.second]).send([old])).rejects.toMatchObject({
      kind: 'unreachable',
    });
  });

  it('that no block has a hash stands, also where the hash would be a height', async () => {
    const node = pair.open([pair.first, pair.second]);
    await pair.settle(node);
    const unknown: RpcCall = { method: 'eth_getBlockByHash', params: [`0x${'0'.repeat(64)}`, false] };
    expect(await node.send([unknown])).toEqual([{ result: null }]);
  });

  it('to one call does not decide the others if they are independent', async () => {
    const pruning = { ...pruned, floor: CHAIN.head - 10 };
    const recent: RpcCall = { method: 'eth_getBalance', params: [HOLDERS.alice, hex(CHAIN.head - 5)] };
    const node = pair.open([pair.first, pair.second]);
    await pair.settle(node);
    const [held] = await node.send([recent]);
    pair.first.behave(pruning);
    const elsewhere = { code: -32_602, message: 'not here' };
    pair.second.behave({ distorts: true, kind: 'rpc-error', ...elsewhere });
    const answered = await node.send([old, recent, old], { independent: true });
    expect(answered).toMatchObject([
      { error: { kind: 'missing-state' } },
      held,
      { error: { kind: 'missing-state' } },
    ]);
    pair.second.behave({ kind: 'reset' });
    const inTrouble = await node.send([old, recent], { independent: true });
    expect(inTrouble).toMatchObject([{ error: { kind: 'unreachable' } }, held]);
    await expect(node.send([old, recent])).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('that it does not know the block leads to the next node', async () => {
    pair.first.behave({ distorts: true, kind: 'null-block' });
    const node = pair.open([pair.first, pair.second]);
    expect(await sendOne(node, 'eth_getBlockByNumber', [hex(CHAIN.head), false])).not.toBeNull();
  });

  it('that there is no receipt leads to the next node, and stands if none has it', async () => {
    const method = 'eth_getTransactionReceipt';
    const says = (result: unknown) => ({ distorts: true, kind: 'says', method, result }) as const;
    pair.first.behave(says(null));
    pair.second.behave(says({ status: '0x1' }));
    const node = pair.open([pair.first, pair.second]);
    const hash = `0x${'1'.repeat(64)}`;
    expect(await sendOne(node, method, [hash])).toEqual({ status: '0x1' });
    pair.second.behave(says(null));
    expect(await sendOne(node, method, [hash])).toBeNull();
  });

  it('is null if the block is above every head', async () => {
    const node = pair.open([pair.first, pair.second]);
    await pair.settle(node);
    expect(await sendOne(node, 'eth_getBlockByNumber', [hex(CHAIN.head + 1), false])).toBeNull();
  });

  it('about a block below a known head is never "not yet"', async () => {
    pair.first.behave({ distorts: true, kind: 'lag', blocks: 10 });
    const node = pair.open([pair.first, pair.second]);
    await pair.settle(node);
    pair.second.behave({ distorts: true, kind: 'lag', blocks: 10 });
    const asked = node.send([{ method: 'eth_getBlockByNumber', params: [hex(CHAIN.head - 1), false] }]);
    expect(await asked).toMatchObject([{ error: { kind: 'unknown-block' } }]);
  });

  it('that a call reverted is final: no other node is asked', async () => {
    const node = pair.open([pair.first, pair.second]);
    await pair.settle(node);
    const before = pair.second.requests;
    const transfer = `0xa9059cbb${UNUSED_ADDRESS.slice(2).padStart(64, '0')}${'f'.repeat(64)}`;
    const call = { from: UNUSED_ADDRESS, to: TOKENS.uni.address, data: transfer };
    const [outcome] = await node.send([{ method: 'eth_call', params: [call, 'latest'] }]);
    expect(outcome).toMatchObject({ error: { kind: 'reverted' } });
    expect(pair.second.requests).toBe(before);
  });

  it('never puts a key into an error or the health report', async () => {
    const text = { code: -32000, message: `bad key ${KEY} for https://node.example/v2/${KEY}` };
    pair.first.behave({
      kind: 'status',
      status: 401,
      body: JSON.stringify({ jsonrpc: '2.0', id: null, error: text }),
    });
    const node = pair.open([pair.first]);
    const error = await ask(node).catch((reason: unknown) => reason as Error);
    expect(
      JSON.stringify([(error as Error).message, (error as Error).stack, node.health(), pair.log]),
    ).not.toContain(KEY);
    expect((error as Error).message).toContain('bad key [redacted]');
  });
});
