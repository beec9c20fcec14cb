/** A failover's choice of nodes, and its words where it may ask none: at nodes that answer at once. */
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { EthereumNode, RpcCall, RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import type { NodeErrorKind } from '../rpc/node-error-kind.ts';
import { Failover, type FailoverLimits } from './failover.ts';

const CALL: RpcCall = { method: 'eth_getBalance', params: ['0x1', '0x5'] };
const LIMITS = { circuit: { failures: 1, openMs: 500, maxOpenMs: 5_000 } };

let now: number;
beforeEach(() => {
  now = 1_000_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => void jest.restoreAllMocks());

interface Scripted {
  readonly node: EthereumNode;
  /** Number of questions for the balance. */
  asked: number;
  chain: string;
  /** Its answer; an error is that of its whole answer. */
  says: RpcOutcome | Error | Promise<never>;
}

function scripted(label: string): Scripted {
  const one: Scripted = {
    ...{ asked: 0, chain: '0x1', says: { result: '0x7' } },
    node: {
      label,
      async send(calls) {
        // Questions of the background stay open.
        if (!calls.includes(CALL)) return new Promise(() => undefined);
        one.asked += 1;
        const said = await one.says;
        if (said instanceof Error) throw said;
        return calls.map(({ method }) => (method === 'eth_chainId' ? { result: one.chain } : said));
      },
      close: async () => undefined,
    },
  };
  return one;
}

const fault = (kind: NodeErrorKind, more = {}) => new NodeError(kind, `it is ${kind}`, more);

function open(count: number, limits: Partial<FailoverLimits> = LIMITS) {
  const nodes = ['a', 'b'].slice(0, count).map(scripted);
  const poll = { everyMs: 1_000_000, idleMs: 1_000_000 };
  const pool = new Failover({
    nodes: nodes.map(({ node }) => node),
    chainId: 1,
    limits: { poll, ...limits },
  });
  const ask = () => pool.send([CALL]);
  return { ask, pool, nodes: nodes as [Scripted, Scripted] };
}

it('all nodes are down: that is said, and when to ask again', async () => {
  const { ask, nodes } = open(2);
  for (const one of nodes) one.says = fault('timeout');
  await expect(ask()).rejects.toMatchObject({ kind: 'timeout' });
  await expect(ask()).rejects.toMatchObject({
    ...{ kind: 'unreachable', details: { retryAfterMs: 1_000 } },
    message: 'no Ethereum node may be asked now: it is timeout; it is timeout',
  });
  expect(nodes.map(({ asked }) => asked)).toEqual([1, 1]);
});

it('one node is down, and the other has asked to be left alone: that is a want of room, not of nodes', async () => {
  const { ask, nodes } = open(2);
  nodes[0].says = fault('timeout');
  nodes[1].says = fault('busy', { retryAfterMs: 30_000 });
  await expect(ask()).rejects.toMatchObject({ kind: 'busy' });
  await expect(ask()).rejects.toMatchObject({
    kind: 'busy',
    message: expect.stringMatching(/^no Ethereum node/),
  });
});

it('a node is on another chain: that is the answer only where all are', async () => {
  const { ask, nodes } = open(2);
  nodes[0].chain = '0x2105';
  nodes[1].says = fault('timeout');
  await expect(ask()).rejects.toMatchObject({ kind: 'timeout' });
  await expect(ask()).rejects.toThrow(/^no Ethereum node may be asked now: a is on chain 8453/);
  const both = open(2);
  for (const one of both.nodes) one.chain = '0x2105';
  await expect(both.ask()).rejects.toThrow('b is on chain 8453, not on 1');
  await expect(both.ask()).rejects.toThrow(/^a is on chain 8453, not on 1/);
});

it('a node that has much to do is named so, whatever it failed with before', async () => {
  const { ask, nodes, pool } = open(1, {
    circuit: { ...LIMITS.circuit, failures: 5 },
    bulkhead: { concurrency: 1, queue: 0 },
  });
  nodes[0].says = fault('timeout');
  await expect(ask()).rejects.toMatchObject({ kind: 'timeout' });
  nodes[0].says = new Promise<never>(() => undefined);
  void pool.send([CALL]);
  await expect(ask()).rejects.toThrow('no Ethereum node may be asked now: a has too much to do');
});

it('no node is asked for a caller that has left', async () => {
  const { pool, nodes } = open(2);
  const left = AbortSignal.abort(new Error('the caller has left'));
  await expect(pool.send([CALL], { signal: left })).rejects.toThrow('the caller has left');
  expect(nodes.map(({ asked }) => asked)).toEqual([0, 0]);
});

it('a node on trial is asked last', async () => {
  const { ask, nodes } = open(2);
  nodes[0].says = fault('timeout');
  await ask();
  nodes[0].says = { result: '0x7' };
  now += 500;
  await ask();
  expect(nodes.map(({ asked }) => asked)).toEqual([1, 2]);
});

it('each question earns a part of a retry', async () => {
  const { ask, nodes } = open(2, {
    circuit: { ...LIMITS.circuit, failures: 99 },
    retry: { reserve: 1, perQuestion: 1 },
  });
  nodes[0].says = fault('timeout');
  for (let question = 0; question < 3; question++) expect(await ask()).toEqual([{ result: '0x7' }]);
});

it('that one node lacks the state is no answer while another, which may have it, is not asked', async () => {
  const { ask, nodes } = open(2);
  nodes[1].says = { error: fault('missing-state') };
  nodes[0].says = fault('timeout');
  await expect(ask()).rejects.toMatchObject({ kind: 'timeout' });
  await expect(ask()).rejects.toMatchObject({ kind: 'unreachable' });
});

it('the first is asked, on a chain whose second has told its head later', async () => {
  jest.restoreAllMocks();
  jest.useFakeTimers();
  try {
    const asked: string[] = [];
    const quick = (label: string): EthereumNode => ({
      label,
      async send(calls) {
        if (calls.includes(CALL)) asked.push(label);
        // Four blocks a second.
        const head = `0x${(1_000 + Math.floor(performance.now() / 250)).toString(16)}`;
        return calls.map(({ method }) =>
          method === 'eth_chainId'
            ? { result: '0x1' }
            : { result: method === 'eth_blockNumber' ? head : '0x7' },
        );
      },
      close: async () => undefined,
    });
    const pool = new Failover({
      nodes: [quick('a'), quick('b')],
      chainId: 1,
      limits: { poll: { everyMs: 4_000, idleMs: 60_000 } },
    });
    await pool.send([CALL]);
    await jest.advanceTimersByTimeAsync(3_000);
    await pool.send([{ method: 'eth_blockNumber', params: [] }]);
    expect(pool.health()).toMatchObject([{ state: 'ok' }, { state: 'ok' }]);
    await jest.advanceTimersByTimeAsync(1_000);
    await pool.send([CALL]);
    expect(asked).toEqual(['a', 'a']);
    expect(pool.health()).toMatchObject([
      { state: 'ok', lag: 0 },
      { state: 'ok', lag: 0 },
    ]);
    await pool.close();
  } finally {
    jest.useRealTimers();
  }
});
