import { afterEach, expect, it, jest } from '@jest/globals';
import { numberToQuantity } from '../rpc/hex.ts';
import type { EthereumNode, RpcCall, RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { Member } from './member.ts';

afterEach(() => void jest.restoreAllMocks());

interface TimedMember {
  readonly member: Member;
  /** From now on it never says what it keeps. */
  readonly keep: () => void;
  /** Sets its answer to eth_chainId. */
  readonly name: (chain: unknown) => void;
  readonly report: (head: number, atMs: number) => Promise<number>;
  /** Number of its questions about kept blocks by then. */
  readonly learn: (atMs: number, capabilities: unknown) => Promise<number>;
  /** Sets its answer to eth_getProof. */
  readonly prove: (proof: unknown) => void;
  /** Sets the first block that it has, and those whose state it proves; all if never called. */
  readonly begin: (earliest: number, proven: readonly number[]) => void;
  /** Number of times that it was asked for its head. */
  readonly heads: () => number;
  /** Number of times that it was asked for the proof of block 1. */
  readonly proofs: () => number;
  /** It fails as a whole from now on, until it is set right. */
  readonly fail: (error: Error | undefined) => void;
  /** Lets time pass. */
  readonly pass: (ms: number) => void;
  /** Its answer to eth_getBalance. */
  readonly answerWith: (outcome: RpcOutcome) => void;
}

/** A member whose node reports the given heads at the given moments. */
function memberWith(): TimedMember {
  let [head, heads, now, learnt, proofs] = [7, 0, 0, 0, 0];
  let chain: unknown = '0x1';
  let isSilent = false;
  let [said, proof]: unknown[] = [];
  let earliest = 0;
  let proven: readonly number[] | undefined;
  let failure: Error | undefined;
  let balance: RpcOutcome = { result: '0x0' };
  const answer = ({ method, params }: RpcCall): RpcOutcome => {
    if (method === 'eth_getProof') {
      const height = Number(params[2]);
      if (height === 1) proofs += 1;
      return { result: proven?.includes(height) === false ? null : proof };
    }
    if (method === 'eth_getBalance') return balance;
    if (method === 'eth_getBlockByNumber') return { result: { number: numberToQuantity(earliest) } };
    if (method === 'eth_blockNumber') heads += 1;
    if (method !== 'eth_capabilities')
      return { result: method === 'eth_chainId' ? chain : numberToQuantity(head) };
    learnt += 1;
    return said === undefined ? { error: new NodeError('refused', 'no such method') } : { result: said };
  };
  const node: EthereumNode = {
    label: 'a node',
    send: (calls) => {
      if (failure !== undefined) return Promise.reject(failure);
      const isKept = isSilent && calls[0]?.method === 'eth_capabilities';
      return isKept ? new Promise(() => undefined) : Promise.resolve(calls.map(answer));
    },
    close: async () => undefined,
  };
  const member = new Member(node, {
    chainId: 1,
    clock: { now: () => now },
    logger: undefined,
    circuit: { failures: 5, openMs: 500, maxOpenMs: 5_000 },
    bulkhead: { concurrency: 1, queue: 1 },
  });
  const report = async (newHead: number, atMs: number): Promise<number> => {
    [head, now] = [newHead, atMs];
    await member.send([{ method: 'eth_blockNumber', params: [] }], { signal: undefined, timeoutMs: 1_000 });
    return member.highestHead;
  };
  const learn = async (atMs: number, capabilities: unknown): Promise<number> => {
    [now, said] = [atMs, capabilities];
    await member.learn({ signal: undefined, timeoutMs: 1_000 });
    await member.proveFirst({ signal: undefined, timeoutMs: 1_000 });
    return learnt;
  };
  return {
    ...{ member, report, learn, keep: () => (isSilent = true), name: (id) => (chain = id) },
    ...{ prove: (found) => (proof = found), proofs: () => proofs, heads: () => heads },
    begin: (first, blocks) => ([earliest, proven] = [first, blocks]),
    fail: (error) => (failure = error),
    pass: (ms) => (now += ms),
    answerWith: (outcome) => (balance = outcome),
  };
}

it('the highest head is believed for a minute while others of its machines are behind', async () => {
  const { report } = memberWith();
  expect(await report(105, 0)).toBe(105);
  for (let at = 1; at <= 10; at++) expect(await report(at % 3 === 0 ? 105 : 101, at * 2_000)).toBe(105);
  expect(await report(101, 70_000)).toBe(105);
  expect(await report(102, 80_000)).toBe(102);
});

it('a head that has moved back is believed after some seconds of lower reports', async () => {
  const { report } = memberWith();
  await report(105, 0);
  for (let at = 1; at <= 5; at++) expect(await report(99, at * 500)).toBe(105);
  expect(await report(99, 3_500)).toBe(99);
});

it('few reports do not move a head back', async () => {
  const { report } = memberWith();
  await report(105, 0);
  for (let at = 1; at <= 3; at++) expect(await report(99, at * 10_000)).toBe(105);
});

it('the highest head of a node that is down is believed for a minute', async () => {
  const { member, report, fail, pass } = memberWith();
  await report(105, 0);
  pass(70_000);
  expect(member.highestHead).toBe(105);
  fail(new NodeError('unreachable', 'gone'));
  for (let i = 0; i < 5; i++) await expect(report(105, 70_000)).rejects.toThrow('gone');
  expect(member.highestHead).toBe(-1);
  fail(undefined);
  expect(await report(105, 80_000)).toBe(105);
  fail(new NodeError('unreachable', 'gone'));
  for (let i = 0; i < 5; i++) await expect(report(105, 81_000)).rejects.toThrow('gone');
  expect(member.highestHead).toBe(105);
});

it('reports its head while it is slow to say what it keeps', async () => {
  const { member, keep } = memberWith();
  keep();
  await member.poll(0, { signal: undefined, timeoutMs: 1_000 });
  expect(member.head).toBe(7);
});

it('is asked for its head once at a time', async () => {
  const { member, heads } = memberWith();
  const options = { signal: undefined, timeoutMs: 1_000 };
  await Promise.all([member.poll(0, options), member.poll(0, options)]);
  expect([member.head, heads()]).toEqual([7, 1]);
  await member.poll(1, options);
  expect(heads()).toBe(1);
  await member.poll(0, options);
  expect(heads()).toBe(2);
});

it('is not asked for what it keeps while it is spared, and is not available while its line is full', async () => {
  const { member, learn, fail, pass } = memberWith();
  const ask = (): Promise<unknown> => member.send([], { signal: undefined, timeoutMs: 1_000 });
  const under = [ask(), ask()];
  expect([member.isAvailable, member.isSpared]).toEqual([false, false]);
  await expect(ask()).rejects.toMatchObject({ kind: 'busy' });
  await Promise.all(under);
  expect(member.isAvailable).toBe(true);
  fail(new NodeError('busy', 'too many requests', { retryAfterMs: 1_000 }));
  await expect(ask()).rejects.toThrow('too many requests');
  fail(undefined);
  expect(await learn(999, {})).toBe(0);
  pass(1);
  expect(await learn(1_000, {})).toBe(1);
});

it('is behind the best head of the moment of its own report, not of a later one', async () => {
  const { member, report, pass } = memberWith();
  expect(member.lag).toBeUndefined();
  await report(100, 0);
  pass(499);
  member.noteBest(105);
  expect(member.lag).toBe(5);
  pass(1);
  member.noteBest(109);
  expect(member.lag).toBe(5);
  await report(101, 4_000);
  expect(member.lag).toBe(0);
  member.noteBest(111);
  expect([member.lag, member.health(3).state, member.health(10).state]).toEqual([10, 'lagging', 'ok']);
});

it('is asked for its chain again after a failure, however long ago it was asked before', async () => {
  const { report, name, fail } = memberWith();
  await report(105, 0);
  fail(new NodeError('timeout', 'too slow'));
  await expect(report(105, 1)).rejects.toThrow('too slow');
  fail(undefined);
  name('0x5');
  await expect(report(105, 2)).rejects.toThrow('is on chain 5');
});

it('has no head while it is on another chain, and is never ahead of the best', async () => {
  const { member, report, name, pass } = memberWith();
  await report(105, 0);
  expect([member.head, member.highestHead, member.health(3).lag]).toEqual([105, 105, 0]);
  name('0x5');
  pass(60_000);
  await expect(report(106, 60_000)).rejects.toThrow('is on chain 5');
  expect([member.head, member.highestHead, member.waitMs]).toEqual([undefined, -1, 5_000]);
  expect(member.health(3)).toMatchObject({ state: 'wrong-chain' });
  name('0x1');
  await report(107, 65_000);
  expect([member.head, member.highestHead]).toEqual([107, 107]);
});

it('has what is left of the time of a question that has waited in line', async () => {
  const { member } = memberWith();
  const send = jest.spyOn(member.node, 'send');
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const asked = [1, 2].map(() => member.send([], { signal: undefined, timeoutMs: 1_000 }));
  now = 400;
  await Promise.all(asked);
  expect(send.mock.calls.map(([, options]) => options?.timeoutMs)).toEqual([1_000, 600]);
});

it('is asked once for the proof of the first block that it has said', async () => {
  const { member, learn, prove, begin } = memberWith();
  begin(5_000, [6_000]);
  prove({ accountProof: ['0xc0'] });
  const send = jest.spyOn(member.node, 'send');
  await learn(0, undefined);
  expect(send.mock.calls).toHaveLength(2);
  await learn(30_000, undefined);
  expect(send.mock.calls).toHaveLength(2);
});

it('that is down is polled for its trial, though its head is known', async () => {
  const { member, report, fail, pass } = memberWith();
  await report(105, 0);
  fail(new NodeError('timeout', 'too slow'));
  for (let at = 0; at < 5; at++)
    await expect(member.send([], { signal: undefined, timeoutMs: 1_000 })).rejects.toThrow('too slow');
  fail(undefined);
  pass(500);
  await member.poll(60_000, { signal: undefined, timeoutMs: 1_000 });
  expect(member.isDown).toBe(false);
});

it('is held no longer to what it has said that it keeps, once it cannot say it', async () => {
  const { member, learn, fail } = memberWith();
  const said = { state: { oldestBlock: '0x5' } };
  const kept = (): unknown => member.health(0).oldest;
  await learn(0, said);
  expect(kept()).toEqual({ state: 5 });
  await learn(660_000, undefined);
  expect(kept()).toEqual({});
  await learn(720_000, said);
  fail(new Error('the caller has left'));
  expect(kept()).toEqual({ state: 5 });
  await learn(1_320_000, said);
  expect(kept()).toEqual({});
});

it.each([
  ['refuses', new NodeError('refused', 'no such method')],
  ['does not get to answer, as its caller leaves,', new Error('the caller has left')],
])('that was down has another trial where it %s', async (_what, error) => {
  const { member, fail, pass } = memberWith();
  const ask = (): Promise<unknown> => member.send([], { signal: undefined, timeoutMs: 1_000 });
  fail(new NodeError('timeout', 'too slow'));
  for (let at = 0; at < 5; at++) await expect(ask()).rejects.toThrow('too slow');
  expect([member.isDown, member.isAvailable]).toEqual([true, false]);
  pass(500);
  fail(error);
  await expect(ask()).rejects.toThrow(error.message);
  expect([member.isDown, member.isAvailable]).toEqual([true, true]);
  fail(undefined);
  await ask();
  expect(member.isDown).toBe(false);
});

it('that asks to be spared is, for a minute at the most, and no less for a shorter wish after it', async () => {
  const { member, fail, pass } = memberWith();
  const ask = (): Promise<unknown> => member.send([], { signal: undefined, timeoutMs: 1_000 });
  for (const retryAfterMs of [3_600_000, 10]) {
    fail(new NodeError('busy', 'too many requests', { retryAfterMs }));
    await expect(ask()).rejects.toThrow('too many requests');
    expect(member.waitMs).toBe(60_000);
  }
  fail(undefined);
  await member.poll(0, { signal: undefined, timeoutMs: 1_000 });
  expect(member.head).toBeUndefined();
  pass(60_000);
  await member.poll(0, { signal: undefined, timeoutMs: 1_000 });
  expect(member.head).toBe(7);
});

it('that asks to be spared in the answer to one call is', async () => {
  const { member, answerWith } = memberWith();
  const calls = [{ method: 'eth_getBalance', params: ['0x', '0x5'] }];
  answerWith({ error: new NodeError('busy', 'too many requests', { retryAfterMs: 5_000 }) });
  await member.send(calls, { signal: undefined, timeoutMs: 1_000 });
  expect([member.waitMs, member.lastError?.kind]).toEqual([5_000, 'busy']);
});

it('that lacked a state is asked for it again after ten minutes', async () => {
  const { member, answerWith, pass } = memberWith();
  const calls = [{ method: 'eth_getBalance', params: ['0x', '0x5'] }];
  answerWith({ error: new NodeError('missing-state', 'pruned') });
  await member.send(calls, { signal: undefined, timeoutMs: 1_000 });
  const lacks = (): boolean => member.lacks({ calls, independent: false });
  pass(599_999);
  expect(lacks()).toBe(true);
  pass(1);
  expect(lacks()).toBe(false);
});

it.each([[''], [null], ['mainnet'], [1]])('is not on another chain where it names %j', async (id) => {
  const { member, name } = memberWith();
  name(id);
  await expect(member.send([], { signal: undefined, timeoutMs: 1_000 })).rejects.toThrow('names no chain');
  expect(member.isOnWrongChain).toBe(false);
  name('0x0');
  await expect(member.send([], { signal: undefined, timeoutMs: 1_000 })).rejects.toThrow('is on chain 0');
  expect(member.isOnWrongChain).toBe(true);
});

it('what it keeps is asked again after a minute where it could not say, and after ten where it did', async () => {
  const { learn } = memberWith();
  expect(await learn(0, undefined)).toBe(1);
  expect(await learn(59_000, {})).toBe(1);
  expect(await learn(60_000, {})).toBe(2);
  expect(await learn(659_000, {})).toBe(2);
  expect(await learn(660_000, {})).toBe(3);
});

it.each([
  ['it has proven one', { accountProof: ['0xc0'] }, undefined],
  ['it has reported its oldest', null, { stateproofs: { disabled: false, oldestBlock: '0x5' } }],
])('is asked for an old proof only until %s', async (_what, proof, capabilities) => {
  const { member, learn, prove, proofs } = memberWith();
  await learn(0, undefined);
  expect([proofs(), member.health(0).oldest]).toEqual([1, {}]);
  prove(proof);
  await learn(60_000, capabilities);
  const known = member.health(0).oldest;
  expect([proofs(), known]).toEqual([2, { stateproofs: expect.any(Number) }]);
  prove(null);
  await learn(660_000, capabilities);
  expect([proofs(), member.health(0).oldest]).toEqual([2, known]);
});

it.each([
  ['from its first where its chain begins there', 17_999_850, [17_999_850], { stateproofs: 17_999_850 }],
  ['from block 1 where it lacks only the blocks', 5_000, [1, 5_000], { stateproofs: 1 }],
  ['nothing where it lacks the state of its first', 5_000, [6_000], {}],
  ['nothing where it keeps that of genesis alone', 0, [0], {}],
])('has shown that it proves %s', async (_what, first, blocks, oldest) => {
  const { member, learn, prove, begin } = memberWith();
  begin(first, blocks);
  prove({ accountProof: ['0xc0'] });
  await learn(0, undefined);
  expect(member.health(0).oldest).toEqual(oldest);
});

it('has shown that it proves from its first block as that moves on', async () => {
  const { member, learn, prove, begin } = memberWith();
  prove({ accountProof: ['0xc0'] });
  for (const first of [5_000, 5_600]) {
    begin(first, [first]);
    await learn(first * 1_000, undefined);
    expect(member.health(0).oldest).toEqual({ stateproofs: first });
  }
});
