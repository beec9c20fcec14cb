/** A JSON-RPC server in front of a node, with rules that answer calls in its place. */
import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A call as it came in. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A rule's answer instead of the node's; `undefined` leaves the call to the node. */
export type RuleAnswer =
  | undefined
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

/** Fate of a whole request, decided before its calls. */
export type RequestFate = 'answer' | 'hang' | 'drop' | { readonly status: number };

/** Rules that may be changed at any time. */
export interface Rules {
  fate?: (request: number, calls: readonly RpcCall[]) => RequestFate;
  call?: (call: RpcCall) => RuleAnswer;
  /** Changes what the node answered. */
  result?: (call: RpcCall, result: unknown) => unknown;
  /** Milliseconds that every answer takes longer. */
  delayMs?: number;
}

/** A running server. */
export interface NodeInFront {
  readonly url: string;
  readonly rules: Rules;
  /** All calls so far, in order. */
  readonly calls: readonly RpcCall[];
  /** The real node; may be changed. */
  upstream: string;
  close(): Promise<void>;
}

/** Starts one on loopback. */
export async function startNodeInFront(upstream: string, rules: Rules = {}): Promise<NodeInFront> {
  const calls: RpcCall[] = [];
  const agent = new Agent({ keepAlive: true });
  let requests = 0;
  const server = createServer(LASTING, (req, res) => {
    serve(req, res).catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: NodeInFront = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rules,
    calls,
    upstream,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
  return self;

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const asked = JSON.parse((await readAll(req)).toString()) as (RpcCall & { id: number })[];
    requests += 1;
    const list = [asked].flat();
    const fate = rules.fate?.(requests, list) ?? 'answer';
    if (fate === 'hang') return;
    if (fate === 'drop') return void req.socket.destroy();
    if (typeof fate === 'object') return void res.writeHead(fate.status).end('no');
    if (rules.delayMs !== undefined) await sleep(rules.delayMs);
    calls.push(...list.map(({ method, params }) => ({ method, params })));
    const answers = await Promise.all(list.map(answerOne));
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(Array.isArray(asked) ? Buffer.concat(listed(answers)) : answers[0]);
  }

  /** An outgoing answer: the node's own bytes if no rule examines them, since they may be megabytes. */
  async function answerOne(call: RpcCall & { id: number }): Promise<Buffer> {
    const head = { jsonrpc: '2.0', id: call.id };
    const own = rules.call?.(call);
    if (own !== undefined) return Buffer.from(JSON.stringify({ ...head, ...own }));
    const bytes = await post(JSON.stringify({ ...head, method: call.method, params: call.params }));
    if (rules.result === undefined) return bytes;
    const answer = JSON.parse(bytes.toString()) as { result?: unknown };
    if (!('result' in answer)) return bytes;
    return Buffer.from(JSON.stringify({ ...answer, result: rules.result(call, answer.result) }));
  }

  async function post(body: string): Promise<Buffer> {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const signal = AbortSignal.timeout(60_000);
    const asked = request(self.upstream, { method: 'POST', agent, headers, signal }).end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return readAll(answer);
  }
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The elements of a JSON array. */
function listed(elements: readonly Buffer[]): Buffer[] {
  const separated = elements.flatMap((element, i) => [Buffer.from(i === 0 ? '[' : ','), element]);
  return [...separated, Buffer.from(']')];
}

/** The range of an `eth_getLogs`; null for other calls. */
export function rangeAsked({ method, params }: RpcCall): { from: number; to: number; blocks: number } | null {
  if (method !== 'eth_getLogs') return null;
  const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
  const [from, to] = [Number(fromBlock), Number(toBlock)];
  return { from, to, blocks: to - from + 1 };
}
