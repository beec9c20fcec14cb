/** An HTTP server that answers for the headers of a computed chain of any length, and counts the requests. */
import { createServer } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';

/** Distortions of one header. */
export interface HeaderFields {
  number: number;
  hash: string;
  parentHash: string;
  timestamp: number;
}

interface HeaderServerOptions {
  /** Unix seconds of each block, from `first` on. */
  readonly times: ArrayLike<number>;
  /** The height of the first block. */
  readonly first?: number;
  /** Null: the server knows no finalized block. */
  readonly finalized?: number | null;
  /** Changes an answer; `request` counts from 1. Null means that there is no such block. */
  readonly distort?: (header: HeaderFields, request: number) => HeaderFields | null;
  /** True if the first block names a parent, as on a node that has dropped older blocks. */
  readonly cutOff?: boolean;
  /** Answers calls that ask for no header, by a result or an error. */
  readonly call?: (method: string, params: readonly unknown[]) => object;
}

/** A running header server. */
export interface HeaderServer {
  readonly url: string;
  /** HTTP requests that have come. */
  readonly requests: () => number;
  /** The most calls in one of them. */
  readonly largestBatch: () => number;
  close(): Promise<void>;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The hash of a block on a branch: readable, and different on every branch. */
export function hashOf(number: number, branch = 1): string {
  return `0x${branch.toString(16)}${number.toString(16).padStart(63, '0')}`;
}

/** Methods that every node is asked for and many do not have. */
const ABSENT: ReadonlySet<string> = new Set(['eth_capabilities', 'eth_getProof']);

/** Listens on loopback at a free port. */
export async function startHeaderServer(options: HeaderServerOptions): Promise<HeaderServer> {
  let requests = 0;
  let largest = 0;
  const server = createServer(LASTING, (request, response) => {
    void readJson(request).then((body) => {
      requests += 1;
      const calls = (Array.isArray(body) ? body : [body]) as Call[];
      largest = Math.max(largest, calls.length);
      const outcome = ({ method, params }: Call): object => {
        if (method === 'eth_blockNumber')
          return { result: quantity((options.first ?? 0) + options.times.length - 1) };
        if (ABSENT.has(method))
          return { error: { code: -32_601, message: `the method ${method} does not exist` } };
        if (options.call && method !== 'eth_getBlockByNumber') return options.call(method, params);
        return { result: answer(options, params[0] as string, requests) };
      };
      const answers = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, ...outcome(call) }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    largestBatch: () => largest,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readJson(stream: AsyncIterable<unknown>): Promise<unknown> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return JSON.parse(text);
}

function answer(options: HeaderServerOptions, tag: string, request: number): unknown {
  const { times, first = 0, finalized = null, cutOff = false } = options;
  const head = first + times.length - 1;
  const heights: Record<string, number | null> = { earliest: first, latest: head, finalized };
  const number = tag in heights ? (heights[tag] ?? null) : Number(tag);
  if (number === null || number < first || number > head) return null;
  const orphan = number === first && !cutOff;
  const header = {
    number,
    hash: hashOf(number),
    parentHash: orphan ? `0x${'0'.repeat(64)}` : hashOf(number - 1),
    timestamp: times[number - first] ?? 0,
  };
  const shown = options.distort ? options.distort(header, request) : header;
  return shown && { ...shown, number: quantity(shown.number), timestamp: quantity(shown.timestamp) };
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}
