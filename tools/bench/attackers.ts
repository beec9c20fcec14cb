/**
 * The attacks of `npm run bench attacks`, in a thread of their own: what they cost must not delay what is measured. Says
 * `ready`, begins at the first message, stops at the second, and answers that with how its requests ended.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { BODIES, MCP_BODIES, type Body } from '../../tests/support/hostile/bodies.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';

/** Data of the thread. */
export interface AttackPlan {
  /** Gateways. */
  readonly urls: readonly string[];
  /** Of the attacker's projects. */
  readonly keys: readonly string[];
  /** Picks the attacks whose names contain it. */
  readonly word: string;
}

/** Ends of an attack's requests, and how often: statuses, or why there was none. */
export type Outcomes = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface Attacked {
  readonly url: string;
  readonly key: string;
  readonly stop: AbortSignal;
  readonly ended: (outcome: string) => void;
}

const CALLS_EVERY_MS = 500;
const MESSAGES_EVERY_MS = 200;
const STREAMS_EVERY_MS = 1_000;
/** Ends a stream, which would outlast the benchmark. */
const STREAM_MS = 90_000;
const MIB = 1024 * 1024;
const SNAPSHOT = `/v1/eth-mainnet/balance/snapshot?token_address=${TOKENS.usdc.address}&block_height=18000000`;
const ROWS = 150_000;
const HEAD = /^HTTP\/1\.1 (\d+)/;

const textsOf = (bodies: readonly Body[]): readonly string[] => bodies.map(({ make }) => make());
const CALLS = textsOf(BODIES.callView![0]!.hostile);
const MESSAGES = textsOf(MCP_BODIES);

/** By name. A project has two streams at a time, so that those of the two kinds go to different gateways. */
const ATTACKS: Readonly<Record<string, (attacked: Attacked, gateway: number) => Promise<void> | undefined>> =
  {
    'calls with arguments without end': (attacked) =>
      posting(attacked, '/v1/eth-mainnet/call', CALLS, CALLS_EVERY_MS),
    'messages of agents': (attacked) => posting(attacked, '/mcp', MESSAGES, MESSAGES_EVERY_MS),
    'snapshots that are not read': (attacked, gateway) =>
      gateway === 0 ? undefined : streaming(attacked, unreadParts, false),
    'blank lines': (attacked, gateway) => (gateway === 0 ? streaming(attacked, blankParts, true) : undefined),
  };

/** Sends hostile bodies in turn, one at a time. */
async function posting(
  { url, key, stop, ended }: Attacked,
  path: string,
  texts: readonly string[],
  everyMs: number,
): Promise<void> {
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  for (let n = 0; !stop.aborted; n++) {
    const body = texts[n % texts.length]!;
    const sent = fetch(url + path, { method: 'POST', headers, body, signal: stop });
    ended(await sent.then(statusOf, reasonOf));
    await sleep(everyMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

async function statusOf(answer: Response): Promise<string> {
  return answer.arrayBuffer().then(() => String(answer.status), reasonOf);
}

function reasonOf(error: unknown): string {
  return (error as { cause?: { code?: string } }).cause?.code ?? 'cut off';
}

/** The parts of a body of 64 MiB. */
function* unreadParts(): Generator<string> {
  const row = (n: number): string => `0x${n.toString(16).padStart(40, '7')}\n`;
  for (let n = 0; n < ROWS; n += 1_000) yield Array.from({ length: 1_000 }, (_, i) => row(n + i)).join('');
  for (let left = 64 * MIB - ROWS * 43; left > 0; left -= MIB) yield '\n'.repeat(Math.min(left, MIB));
}

function* blankParts(): Generator<string> {
  yield `0x${'7'.repeat(40)}\n`;
  for (let n = 0; n < 60; n++) yield '\n'.repeat(MIB);
}

/** Opens one stream after the other, and sends as fast as the server takes it. */
async function streaming(attacked: Attacked, parts: () => Generator<string>, reads: boolean): Promise<void> {
  const { stop, ended } = attacked;
  while (!stop.aborted) {
    ended(await stream(attacked, parts(), reads));
    await sleep(STREAMS_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

function stream({ url, key, stop }: Attacked, parts: Generator<string>, reads: boolean): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname);
    const end = (): void => void socket.destroy();
    const timer = setTimeout(end, STREAM_MS);
    stop.addEventListener('abort', end, { once: true });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
      resolve(HEAD.exec(answer)?.[1] ?? 'cut off');
    });
    // One that does not read has read the head of its answer alone.
    socket.on('data', (chunk: Buffer) => {
      if (answer.length < 16) answer += chunk.toString('latin1');
      if (!reads) socket.pause();
    });
    if (reads) socket.once('end', end);
    const lines = [`host: ${hostname}:${port}`, `x-api-key: ${key}`, 'content-type: text/plain'];
    socket.write(`POST ${SNAPSHOT} HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: ${64 * MIB}\r\n\r\n`);
    const send = (): void => {
      for (let part = parts.next(); !part.done; part = parts.next())
        if (!socket.write(part.value)) return void socket.once('drain', send);
    };
    send();
  });
}

const { urls, keys, word } = workerData as AttackPlan;
const stop = new AbortController();
parentPort!.postMessage('ready');
await once(parentPort!, 'message');
const outcomes: Record<string, Record<string, number>> = {};
const picked = Object.entries(ATTACKS).filter(([name]) => name.includes(word));
const underWay = picked.flatMap(([name, begin]) => {
  const counts: Record<string, number> = (outcomes[name] = {});
  const ended = (outcome: string): void => void (counts[outcome] = (counts[outcome] ?? 0) + 1);
  return keys.flatMap((key) =>
    urls.map(async (url, gateway) => begin({ url, key, stop: stop.signal, ended }, gateway)),
  );
});
await once(parentPort!, 'message');
stop.abort();
await Promise.all(underWay);
parentPort!.postMessage(outcomes);
