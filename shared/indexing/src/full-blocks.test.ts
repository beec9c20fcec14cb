/** Blocks whose logs are too many for one answer, at a node in memory: a log is a mebibyte of an answer. */
import { beforeEach, expect, it } from '@jest/globals';
import { RangeTooLarge } from '@hindsight/chain/logs/block-range.ts';
import { numberToQuantity } from '@hindsight/chain/rpc/hex.ts';
import type { EthereumNode, RpcCall, RpcOutcome } from '@hindsight/chain/rpc/node.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { createFinalizedLogs } from './finalized-logs.ts';
import type { LogReduction } from './range-reading.ts';

const MIB = 1024 * 1024;
const USUAL = 16 * MIB;
const BLOCK = 7;
const hash = (of: string): string => `0x${of.repeat(64 / of.length)}`;
const [TRANSFER, OTHER] = [hash('dd'), hash('ee')];
const TOKEN = `0x${'1a'.repeat(20)}`;
const { signal } = new AbortController();

/** Logs of each transaction. */
let logs: number[];
let topic: string;
let isLost: boolean;
let bloom: string;
let blockHash: string;
let thrown: Error | undefined;
let refusal: NodeError | undefined;
let change: (receipt: object | null) => unknown;
let largest: number;
let requests: number;

const transaction = (at: number): string => hash((0x10 + at).toString(16));
const logOf = (at: number, of = topic) => ({
  address: TOKEN,
  topics: [of],
  blockNumber: numberToQuantity(BLOCK),
  blockHash,
  transactionHash: transaction(at),
});
const logsOf = (at: number) => Array.from({ length: logs[at]! }, () => logOf(at));
const receiptOf = (at: number) => ({
  transactionHash: transaction(at),
  blockHash: hash('b'),
  logs: [logOf(at, OTHER), ...logsOf(at)],
});

function answer({ method, params }: RpcCall): RpcOutcome {
  const all = [...logs.keys()];
  if (method === 'eth_getBlockByNumber') {
    const [number] = params as [string];
    const [own, parent] = Number(number) === BLOCK ? ['b', 'a'] : ['a', 'c'];
    const header = { number, hash: hash(own), parentHash: hash(parent), timestamp: '0x1' };
    return { result: { ...header, logsBloom: `0x${bloom.repeat(256)}`, transactions: all.map(transaction) } };
  }
  if (method === 'eth_getLogs' && refusal) return { error: refusal };
  if (method === 'eth_getLogs') return { result: isLost ? [] : all.flatMap(logsOf) };
  if (method === 'eth_getBlockReceipts') return { result: all.map(receiptOf) };
  const at = all.find((one) => transaction(one) === params[0])!;
  return { result: change(receiptOf(at)) };
}

const node: EthereumNode = {
  label: 'a node',
  async send(calls, { maxBytes = USUAL } = {}) {
    requests += 1;
    if (thrown) throw thrown;
    const outcomes = calls.map(answer);
    const bytes = MIB * (JSON.stringify(outcomes).split('topics').length - 1);
    largest = Math.max(largest, Math.min(bytes, maxBytes));
    if (bytes > maxBytes) throw new NodeError('malformed', 'too much', { tooLarge: true });
    return outcomes;
  },
  close: async () => undefined,
};
const PLACES: LogReduction<string[]> = {
  topics: [TRANSFER],
  start() {
    const found: string[] = [];
    return { found, take: (log) => void found.push(String(log.transactionHash)) };
  },
  join: (first, second) => [...first, ...second],
};
const read = (from = BLOCK) => createFinalizedLogs(node, PLACES, 1_000).read({ from, to: BLOCK }, signal);

beforeEach(() => {
  [logs, topic, isLost, refusal] = [[40, 1, 1, 0, 30, 16, 17], TRANSFER, false, undefined];
  [bloom, blockHash, thrown] = ['ff', hash('b'), undefined];
  [change, largest, requests] = [(receipt) => receipt, 0, 0];
});

it('are read from their receipts, a few at a time, once they are beyond the largest answer', async () => {
  const { count, found, ...range } = await read();
  expect(range).toEqual({ from: BLOCK, to: BLOCK, parentHash: hash('a'), hash: hash('b') });
  expect([count, found]).toEqual([105, [...logs.keys()].flatMap(logsOf).map((log) => log.transactionHash)]);
  expect(largest).toBe(64 * MIB);
});

it('are read a few transactions at a time again after a large one', async () => {
  logs = [60, 20, ...Array<number>(100).fill(0)];
  expect((await read()).count).toBe(80);
  expect(requests).toBeLessThan(50);
});

it('are read from their receipts also where a node refuses that many logs', async () => {
  logs = [2, 3];
  refusal = new NodeError('refused', 'query returned more than 10000 results');
  expect((await read()).count).toBe(5);
});

it.each([
  ['refused', 'the method eth_getLogs is not available'],
  ['busy', 'too many requests'],
] as const)('are not read from receipts where the question was %s', async (kind, message) => {
  refusal = new NodeError(kind, message);
  await expect(read()).rejects.toBe(refusal);
  expect(requests).toBe(1);
});

it.each([
  ['lacks', null, 'missing-state'],
  ['has in another block', { blockHash: hash('c') }, 'unknown-block'],
  ['takes for another one', { transactionHash: hash('9') }, 'unknown-block'],
  [
    'gives logs of another block in',
    { logs: [{ ...logOf(0, TRANSFER), blockHash: hash('c') }] },
    'unknown-block',
  ],
])('are not read where the node %s a receipt', async (_what, changed, kind) => {
  change = (receipt) => changed && { ...receipt, ...changed };
  await expect(read()).rejects.toMatchObject({ kind });
});

it('a transaction alone that is larger than any that networks allow is a fault in clear words', async () => {
  logs = [65];
  await expect(read()).rejects.toMatchObject({ details: { tooLarge: true } });
});

it('ranges of several blocks are divided before an answer takes more than the usual memory', async () => {
  await expect(read(BLOCK - 1)).rejects.toBeInstanceOf(RangeTooLarge);
  expect(largest).toBe(USUAL);
});

it('are not of the block where the logs name another one', async () => {
  [logs, blockHash] = [[2], hash('c')];
  await expect(read()).rejects.toMatchObject({ kind: 'unknown-block' });
});

it('are looked for at both ends of a range', async () => {
  // The node has logs of the last block only, and receipts of both.
  logs = [1];
  await expect(read(BLOCK - 1)).rejects.toMatchObject({ kind: 'missing-state' });
});

it('a fault that is none of a node is thrown as it is', async () => {
  thrown = new TypeError('a fault of ours');
  await expect(read()).rejects.toBe(thrown);
});

it('that have no such events by their bloom are not looked through', async () => {
  [isLost, bloom] = [true, '00'];
  expect([(await read()).count, requests]).toEqual([0, 1]);
});

it.each([
  [TRANSFER, true],
  [OTHER, false],
])('that may have events of which none came are looked through in parts: %s', async (of, isFault) => {
  [isLost, topic] = [true, of];
  // Others' logs make the receipts large, too.
  logs = [10, 0, 10, 0, 1];
  if (isFault) await expect(read()).rejects.toMatchObject({ kind: 'missing-state' });
  else expect((await read()).count).toBe(0);
});
