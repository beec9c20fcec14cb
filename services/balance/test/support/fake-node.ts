/** A JSON-RPC node of a made-up chain: the same blocks whatever the chain, and amounts that only this chain has. */
import { createServer } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { addressTopic, TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { NOT_TAKEN, readProgramCall } from '@hindsight/chain/test/support/program-calls.ts';

/** Answers of the chain's accounts and contracts, the same for every account. */
export interface FakeChain {
  readonly chainId: number;
  readonly wei: bigint;
  readonly balance: bigint | ((height: number) => bigint);
  readonly allowance: bigint;
  /** Address of every ENS name: 0x and 40 hex digits. */
  readonly named: string;
  /** Blocks after the first one; 100 if not given. */
  readonly length?: number;
  /** Events of every contract; none if not given. */
  readonly logs?: readonly FakeLog[];
  /** Every account at a height, in place of `wei`; for the endpoints that read nothing but ether. */
  readonly account?: (height: number) => FakeAccount;
  /** The first block whose transfers of ether make logs, and whose header shows it; none if not given. */
  readonly etherLogsFrom?: number;
}

/** An account at one height. */
export interface FakeAccount {
  readonly wei: bigint;
  readonly nonce: number;
  readonly codeSize: number;
}

/** An event with two addresses and an amount. */
export interface FakeLog {
  readonly block: number;
  /** 0x and 40 hex digits. */
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  /** Its first topic; a transfer's if not given. */
  readonly event?: string;
}

/** A running node. */
export interface FakeNode {
  readonly url: string;
  /** Requests over HTTP, of one call or of many. */
  requests: number;
  /** `eth_call`s that have been answered. */
  calls: number;
  /** Milliseconds before each answer. */
  delayMs: number;
  stop(): Promise<void>;
}

/** The chain's first block; one a second comes after it. */
export const FIRST = 9_400_000;
export const FIRST_TIME = 1_600_000_000;
/** Address of the events that are searched for without one. */
const LOGGER = `0x${'aa'.repeat(20)}`;
const LENGTH = 100;
/** This many of the last blocks are not finalized. */
const OPEN = 10;

/** Starts the node on loopback. */
export async function startFakeNode(chain: FakeChain): Promise<FakeNode> {
  const server = createServer(LASTING, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked | Asked[];
      const one = (call: Asked): unknown => ({ jsonrpc: '2.0', id: call.id, ...outcomeOf(chain, call) });
      fake.requests += 1;
      fake.calls += [asked].flat().filter(({ method }) => method === 'eth_call').length;
      const text = JSON.stringify(Array.isArray(asked) ? asked.map(one) : one(asked));
      setTimeout(() => response.setHeader('content-type', 'application/json').end(text), fake.delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: 0,
    calls: 0,
    delayMs: 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

function outcomeOf(chain: FakeChain, call: Asked): object {
  if (['eth_capabilities', 'eth_getProof'].includes(call.method))
    return { error: { code: -32_601, message: 'no such method' } };
  if (call.method !== 'eth_call') return { result: answer(chain, call) };
  return multicall(chain, call.params);
}

function answer(chain: FakeChain, { method, params }: Asked): unknown {
  switch (method) {
    case 'eth_chainId':
      return quantity(chain.chainId);
    case 'eth_blockNumber':
      return quantity(headOf(chain));
    case 'eth_getBlockByNumber':
      return header(chain, heightOf(chain, params[0]));
    case 'eth_getBalance':
      return quantity(Number(chain.wei));
    // Not the same on two chains.
    case 'eth_getCode':
      return `0x60${chain.chainId.toString(16).padStart(8, '0')}`;
    case 'eth_getBlockByHash':
      return header(chain, Number(params[0]));
    case 'eth_getTransactionCount':
      return quantity(chain.account?.(heightOf(chain, params[1])).nonce ?? 0);
    case 'eth_getLogs':
      return logs(chain, params[0] as Filter);
    default:
      throw new TypeError(`${method} is not asked here`);
  }
}

interface Filter {
  readonly address?: string;
  /** One block by its hash, or a range. */
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly topics: readonly (string | readonly string[] | null)[];
}

/** Those that fit a filter by sender or by receiver. */
function logs(chain: FakeChain, { address, blockHash, fromBlock, toBlock, topics }: Filter): unknown {
  const [first, last] = [Number(blockHash ?? fromBlock), Number(blockHash ?? toBlock)];
  const made = (chain.logs ?? []).filter(({ block }) => block >= first && block <= last);
  const records = made.map(({ block, from, to, amount, event = TOPICS.transfer }) => ({
    address: address ?? LOGGER,
    topics: [event, addressTopic(from), addressTopic(to)],
    data: `0x${word(amount)}`,
    blockNumber: quantity(block),
    blockHash: `0x${word(block)}`,
    transactionHash: `0x${word(block)}`,
  }));
  return records.filter((record) =>
    topics.every((wanted, at) => wanted === null || [wanted].flat().includes(record.topics[at]!)),
  );
}

function headOf({ length = LENGTH }: FakeChain): number {
  return FIRST + length;
}

function heightOf(chain: FakeChain, block: unknown): number {
  const head = headOf(chain);
  const tags: Readonly<Record<string, number>> = { earliest: FIRST, finalized: head - OPEN, latest: head };
  if (typeof block === 'string') return tags[block] ?? Number(block);
  return Number((block as { blockHash: string }).blockHash);
}

function header(chain: FakeChain, height: number): unknown {
  if (height > headOf(chain)) return null;
  return {
    number: quantity(height),
    hash: `0x${word(height)}`,
    parentHash: parentOf(height),
    timestamp: quantity(timeOf(height)),
    ...(height >= (chain.etherLogsFrom ?? Infinity) ? { blockAccessListHash: `0x${word(1)}` } : {}),
  };
}

function parentOf(height: number): string {
  return `0x${word(height === FIRST ? 0 : height - 1)}`;
}

function timeOf(height: number): number {
  return FIRST_TIME + height - FIRST;
}

/** Answers each item of a multicall; see its source. */
function multicall(chain: FakeChain, params: readonly unknown[]): object {
  const asked = readProgramCall(params);
  if (asked === undefined) return NOT_TAKEN;
  const number = heightOf(chain, params[1]);
  const answers = asked.items.map(({ gas, mostBytes, data }) => {
    if (gas > 0) return result(...returned(chain, data.slice(0, 8), number));
    const { wei, codeSize } = chain.account?.(number) ?? { wei: chain.wei, codeSize: 1 };
    return mostBytes > 32 ? result(wei, BigInt(codeSize)) : result(wei);
  });
  const block = { number, timestamp: timeOf(number), parentHash: parentOf(number) };
  return asked.answer(block, answers.join(''));
}

function result(...words: readonly bigint[]): string {
  const status = words.length === 0 ? '00' : '01';
  const size = (32 * words.length).toString(16).padStart(8, '0');
  return `${status}00000000${size}${words.map(word).join('')}`;
}

/** By the call's selector; a contract that does not know it fails. */
function returned(chain: FakeChain, selector: string, height: number): readonly bigint[] {
  const { balance } = chain;
  const known: Readonly<Record<string, bigint>> = {
    '70a08231': typeof balance === 'bigint' ? balance : balance(height),
    dd62ed3e: chain.allowance,
    '18160ddd': 10n ** 30n + chain.wei,
    '313ce567': 18n,
    '01ffc9a7': 0n,
    '0178b8bf': BigInt(chain.named),
    '3b3b57de': BigInt(chain.named),
  };
  const value = known[selector];
  return value === undefined ? [] : [value];
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}

function word(value: number | bigint): string {
  return value.toString(16).padStart(64, '0');
}
