/** For tests: one URL over nodes that are behind the chain's head, each in its own way. */
import { createServer } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { askAll, type Question } from '@hindsight/devchain/client.ts';

/** A node behind the URL; may be changed at any time. */
export interface LaggingNode {
  /** Blocks by which it is behind. */
  lag: number;
  /** Answer about ranges beyond its head: the part that it has, nothing, or an error of this text. */
  beyond: 'part' | 'nothing' | { readonly refusal: string };
  /** It refuses larger ranges. */
  maxBlocks?: number;
  /** The text of an error that it answers to any call. */
  fault?: (method: string) => string | undefined;
}

/** A URL over nodes. */
export interface Balancer {
  readonly url: string;
  readonly nodes: LaggingNode[];
  /** Called with the methods of each request before it is answered. */
  before: ((methods: readonly string[]) => Promise<void>) | undefined;
  /** `eth_getLogs` so far. */
  searches: number;
  close(): Promise<void>;
}

interface BalancerOptions {
  /** True if the calls of one request go to different nodes. */
  readonly splits?: boolean;
  /** The next node, of a number; by default as if at random. */
  readonly pick?: (nodes: number) => number;
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}
interface Header {
  readonly number: string;
}
interface Reply {
  readonly result?: unknown;
  readonly error?: unknown;
}
type Filter = Readonly<Record<'fromBlock' | 'toBlock', string>> & { readonly blockHash?: string };

/** Starts one before a node on a free port of loopback. */
export async function startBalancer(
  upstream: string,
  nodes: readonly LaggingNode[],
  { splits = false, pick = seeded() }: BalancerOptions = {},
): Promise<Balancer> {
  const heights = new Map<string, number>();
  const answer = async (body: string): Promise<string> => {
    const asked = JSON.parse(body) as Call | Call[];
    const calls = [asked].flat();
    await self.before?.(calls.map(({ method }) => method));
    self.searches += calls.filter(({ method }) => method === 'eth_getLogs').length;
    const head = await look(calls);
    const choose = (): LaggingNode => self.nodes[pick(self.nodes.length)]!;
    const one = choose();
    const replies = await Promise.all(calls.map((call) => reply(call, head, splits ? choose() : one)));
    const answers = replies.map((own, i) => ({ jsonrpc: '2.0', id: calls[i]!.id, ...own }));
    return JSON.stringify(Array.isArray(asked) ? answers : answers[0]);
  };
  const server = createServer(LASTING, (request, response) => {
    text(request)
      .then(answer)
      .then(
        (body) => response.setHeader('content-type', 'application/json').end(body),
        () => response.destroy(),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: Balancer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    nodes: nodes.map((node) => ({ ...node })),
    before: undefined,
    searches: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;

  /** The chain's head; learns the heights of hashes on the way. */
  async function look(calls: readonly Call[]): Promise<number> {
    const hashes = calls.map(hashIn).filter((hash) => hash !== undefined && !heights.has(hash)) as string[];
    const questions = hashes.map((hash): Question => ['eth_getBlockByHash', hash, false]);
    const [head, ...found] = await askAll(upstream, [['eth_blockNumber'], ...questions]);
    for (const [i, { result }] of found.entries())
      if (result) heights.set(hashes[i]!, Number((result as Header).number));
    return Number(head!.result);
  }

  async function reply(call: Call, chainHead: number, node: LaggingNode): Promise<Reply> {
    const head = chainHead - node.lag;
    const fault = node.fault?.(call.method);
    if (fault !== undefined) return refusal(fault);
    const hash = hashIn(call);
    const isAhead = hash !== undefined && (heights.get(hash) ?? Infinity) > head;
    const pass = async (...params: readonly unknown[]): Promise<Reply> => {
      const [own] = await askAll(upstream, [[call.method, ...params]]);
      return own!.error ? { error: own!.error } : { result: own!.result ?? null };
    };
    const [first, ...rest] = call.params;
    switch (call.method) {
      case 'eth_blockNumber':
        return { result: quantity(head) };
      case 'eth_getBlockByNumber':
        return Number(first) > head
          ? { result: null }
          : pass(first === 'latest' ? quantity(head) : first, ...rest);
      case 'eth_getBlockByHash':
        return isAhead ? { result: null } : pass(...call.params);
      case 'eth_getLogs':
        return isAhead ? refusal('unknown block') : logs(first as Filter, head, node, pass);
      case 'eth_call': {
        const [at, ...more] = rest;
        if (isAhead || Number(at) > head) return refusal('header not found');
        return pass(first, at === 'latest' ? quantity(head) : at, ...more);
      }
      default:
        return pass(...call.params);
    }
  }

  async function logs(
    filter: Filter,
    head: number,
    { beyond, maxBlocks = Infinity }: LaggingNode,
    pass: (filter: unknown) => Promise<Reply>,
  ): Promise<Reply> {
    if (filter.blockHash !== undefined) return pass(filter);
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
    if (to - from >= maxBlocks) return refusal(`eth_getLogs is limited to a ${maxBlocks} block range`);
    if (to <= head) return pass(filter);
    if (typeof beyond === 'object') return refusal(beyond.refusal);
    if (beyond === 'nothing' || from > head) return { result: [] };
    return pass({ ...filter, toBlock: quantity(head) });
  }
}

function hashIn({ method, params }: Call): string | undefined {
  if (method === 'eth_getBlockByHash') return params[0] as string;
  const named = method === 'eth_getLogs' ? params[0] : params[1];
  return (named as { blockHash?: string } | undefined)?.blockHash;
}

function refusal(message: string): Reply {
  return { error: { code: -32_000, message } };
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** The same sequence each time, and in step with nothing. */
function seeded(): (nodes: number) => number {
  let state = 1;
  return (nodes) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * nodes);
  };
}
