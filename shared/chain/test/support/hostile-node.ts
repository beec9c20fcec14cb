/**
 * For tests: an HTTP server in front of a real node that passes questions through, or misbehaves on demand. No real node
 * misbehaves to order.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { request } from 'undici';
import { distort, type Answer, type Call, type Distortion } from './distortions.ts';

/** The server's action on a request, in place of the node's answer. */
export type Misbehaviour =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  | {
      readonly kind:
        | 'hang'
        | 'reset'
        | 'drip'
        | 'truncated'
        | 'html'
        | 'wrong-id'
        | 'missing-entry'
        | 'swapped';
    }
  | { readonly kind: 'huge'; readonly bytes: number; readonly announced: boolean }
  /** Sends this as a gzipped answer. */
  | { readonly kind: 'zipped'; readonly body: Buffer }
  | { readonly kind: 'slow'; readonly ms: number }
  /** Holds back the answers to questions with a given text in them; to all where none is given. */
  | { readonly kind: 'held'; readonly until: Promise<unknown>; readonly of?: string }
  | Distortion;

/** A server that misbehaves. */
export interface HostileNode {
  readonly url: string;
  /** Requests received so far. */
  readonly requests: number;
  /** Connections open now. */
  readonly connections: number;
  /** Requests that have been neither answered nor aborted. */
  readonly underWay: number;
  /** Most requests under way at once, so far. */
  readonly mostAtOnce: number;
  /** From the next request on, for this many requests; undefined: passes through. */
  behave(how: Misbehaviour | undefined, times?: number): void;
  close(): Promise<void>;
}

const DRIP_EVERY_MS = 20;
/** Kinds that change a node's answers, besides distortions. */
const MANGLED: ReadonlySet<string> = new Set(['wrong-id', 'missing-entry', 'swapped']);

/** Starts one, on loopback. @param upstream the real node's URL */
export async function startHostileNode(upstream: string): Promise<HostileNode> {
  const sockets = new Set<Socket>();
  let how: Misbehaviour | undefined;
  let timesLeft = Infinity;
  let requests = 0;
  let underWay = 0;
  let mostAtOnce = 0;
  const server = createServer(LASTING, (req, res) => {
    requests += 1;
    underWay += 1;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    res.once('close', () => (underWay -= 1));
    timesLeft -= 1;
    answer(upstream, timesLeft < 0 ? undefined : how, req, res).catch(() => res.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    get connections() {
      return sockets.size;
    },
    get underWay() {
      return underWay;
    },
    get mostAtOnce() {
      return mostAtOnce;
    },
    behave(next, times = Infinity) {
      how = next;
      timesLeft = times;
    },
    close: () => closeServer(server),
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(
  upstream: string,
  how: Misbehaviour | undefined,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const body = await buffer(req);
  if (how && answerWithoutNode(how, req, res)) return;
  if (how && (isDistortion(how) || MANGLED.has(how.kind))) {
    const asked = JSON.parse(body.toString()) as Call | Call[];
    const calls = Array.isArray(asked) ? asked : [asked];
    const ask = (questions: readonly Call[]): Promise<Answer[]> => forward(upstream, questions);
    const answers = isDistortion(how) ? await distort(how, calls, ask) : mangle(how, await ask(calls));
    await reply(how, { asked: body, bytes: encode(Array.isArray(asked) ? answers : answers[0]) }, res);
    return;
  }
  // The node's own bytes: an opening service asks a megabyte of each of its nodes.
  await reply(how, { asked: body, bytes: await post(upstream, body) }, res);
}

/** One call at a time: the answers' order is the calls'. */
async function forward(upstream: string, calls: readonly Call[]): Promise<Answer[]> {
  if (calls.length === 0) return [];
  const answers = JSON.parse((await post(upstream, encode(calls))).toString()) as Answer[];
  return calls.map(({ id }) => answers.find((one) => one.id === id) ?? { jsonrpc: '2.0', id, result: null });
}

async function post(upstream: string, body: Buffer): Promise<Buffer> {
  const headers = { 'content-type': 'application/json' };
  const { body: answer } = await request(upstream, { method: 'POST', headers, body });
  return Buffer.from(await answer.arrayBuffer());
}

function encode(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function isDistortion(how: Misbehaviour | undefined): how is Distortion {
  return how !== undefined && 'distorts' in how;
}

/** Answers that need no request to the node. False if one does. */
function answerWithoutNode(how: Misbehaviour, req: IncomingMessage, res: ServerResponse): boolean {
  const json = { 'content-type': 'application/json' };
  if (how.kind === 'status') res.writeHead(how.status, { ...json, ...how.headers }).end(how.body ?? '');
  else if (how.kind === 'html')
    res.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
  else if (how.kind === 'reset') req.socket.resetAndDestroy();
  else if (how.kind === 'huge') void sendHuge(how.bytes, how.announced, res);
  else if (how.kind === 'zipped') res.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(how.body);
  else return how.kind === 'hang';
  return true;
}

async function sendHuge(bytes: number, announced: boolean, res: ServerResponse): Promise<void> {
  res.writeHead(200, {
    'content-type': 'application/json',
    ...(announced ? { 'content-length': bytes } : {}),
  });
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  const chunks = Array.from({ length: bytes / chunk.length }, () => chunk);
  // The client has timed out and closes the connection.
  await pipeline(Readable.from(chunks), res).catch(() => undefined);
}

function mangle({ kind }: Misbehaviour, answers: readonly Answer[]): readonly Answer[] {
  if (kind === 'wrong-id') return answers.map((one) => ({ ...one, id: one.id + 1000 }));
  if (kind === 'missing-entry') return answers.slice(0, -1);
  return [...answers].reverse();
}

async function reply(
  how: Misbehaviour | undefined,
  { asked, bytes }: { readonly asked: Buffer; readonly bytes: Buffer },
  res: ServerResponse,
): Promise<void> {
  const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
  if (how?.kind === 'slow') await sleep(how.ms);
  if (how?.kind === 'held' && asked.includes(how.of ?? '')) await how.until;
  res.writeHead(200, headers);
  if (how?.kind === 'truncated') {
    res.write(bytes.subarray(0, bytes.length / 2), () => res.destroy());
    return;
  }
  if (how?.kind !== 'drip') {
    res.end(bytes);
    return;
  }
  for (const byte of bytes) {
    if (res.destroyed) return;
    res.write(Buffer.of(byte));
    await sleep(DRIP_EVERY_MS);
  }
  res.end();
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
