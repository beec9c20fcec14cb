/**
 * For tests: a real node behind a server that carries programs in another way: its limits, and its handling
 * of reverts.
 */
import { createServer } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The error of a node's revert. @param data of the revert: 0x and hex */
export type RevertWords = (data: string) => object;

/** A node's support of carriers. */
export interface Carrying {
  /** As geth does, where not given. */
  readonly reverts?: RevertWords;
  /** The answer to a third parameter; by default it takes one. */
  readonly overrides?: object;
  /** The answer to init code that returns; by default it runs. */
  readonly returns?: object;
  /** Bytes of init code that it takes; by default the real node's limit. */
  readonly maxInitCode?: number;
  /** Bytes of returned code that it takes. */
  readonly maxReturned?: number;
}

/** A running server. */
export interface CarrierNode {
  readonly url: string;
  /** `eth_call`s so far. */
  calls: number;
  carry(how: Carrying): void;
  close(): Promise<void>;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: string };
}

/** geth's, Reth's, anvil's and today's Nethermind's. */
export const asGeth: RevertWords = (data) => ({ code: 3, message: 'execution reverted', data });

/** Starts it on loopback before a node. */
export async function startCarrierNode(upstream: string, begun: Carrying = {}): Promise<CarrierNode> {
  let how = begun;
  const ask = async (call: Call): Promise<object> => {
    const early = call.method === 'eth_call' ? withoutNode(how, call) : undefined;
    if (early !== undefined) return { jsonrpc: '2.0', id: call.id, error: early };
    const body = JSON.stringify({ jsonrpc: '2.0', ...call });
    const headers = { 'content-type': 'application/json' };
    const answer = (await (await fetch(upstream, { method: 'POST', headers, body })).json()) as Answer;
    if (call.method !== 'eth_call') return answer;
    return { jsonrpc: '2.0', id: call.id, ...carried(how, call, answer) };
  };
  const server = createServer(LASTING, (request, response) => {
    void text(request).then(async (body) => {
      const asked = JSON.parse(body) as Call | Call[];
      node.calls += [asked].flat().filter(({ method }) => method === 'eth_call').length;
      const answers = await Promise.all([asked].flat().map(ask));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node: CarrierNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: 0,
    carry(next) {
      how = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return node;
}

function withoutNode({ overrides, maxInitCode = Infinity }: Carrying, { params }: Call): object | undefined {
  const { data, to } = params[0] as { data?: string; to?: string };
  if (params[2] !== undefined) return overrides;
  const bytes = to === undefined && data !== undefined ? data.length / 2 - 1 : 0;
  if (bytes <= maxInitCode) return undefined;
  return { code: -32_000, message: `max initcode size exceeded: code size ${bytes} limit ${maxInitCode}` };
}

function carried(how: Carrying, { params }: Call, { result, error }: Answer): object {
  const isInit = (params[0] as { to?: string }).to === undefined;
  if (error === undefined) {
    const tooLong = isInit && String(result).length / 2 - 1 > (how.maxReturned ?? Infinity);
    const text = 'contract creation code storage out of gas';
    if (tooLong) return { error: { code: -32_000, message: text } };
    return isInit && how.returns ? { error: how.returns } : { result };
  }
  return { error: error.data === undefined ? error : (how.reverts ?? asGeth)(error.data) };
}
