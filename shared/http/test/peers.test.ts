/** Peers that misuse HTTP: readers that do not read, expectations, unusual methods. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createHttpServer, listen } from '../src/server.ts';
import type { HttpServer } from '../src/types.ts';

/** More than the buffers of two sockets hold. */
const LARGE = Buffer.alloc(64 * 1024 * 1024, 'x');
/** Much longer than a busy machine pauses a process. */
const STALLED_MS = 1_000;
const logger = createLogger({ name: 'test', level: 'silent' });
let lifecycle: Lifecycle;
let app: HttpServer;
let port: number;

beforeAll(async () => {
  lifecycle = createLifecycle(logger);
  app = createHttpServer({ logger, lifecycle, stalledMs: STALLED_MS });
  app.get('/large', (_request, reply) => reply.send(LARGE));
  app.get('/slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 2 * STALLED_MS));
    return { slow: true };
  });
  port = Number(new URL(await listen(app, lifecycle, 'test', { host: '127.0.0.1', port: 0 })).port);
});
afterAll(async () => void (await lifecycle.shutdown('test')));

async function open(request: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(request);
  return socket;
}

async function answerTo(request: string): Promise<string> {
  const socket = await open(request);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

/** Reads the large answer with eight pauses. @returns its bytes, and the longest time between two parts of it */
async function readSlowly(): Promise<{ bytes: number; longestMs: number }> {
  const socket = await open('GET /large HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  let [bytes, pauses, longestMs, before] = [0, 0, 0, performance.now()];
  const note = (): void => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - before);
    before = now;
  };
  try {
    for await (const chunk of socket) {
      note();
      bytes += (chunk as Buffer).length;
      if (bytes > pauses * (LARGE.length / 8)) {
        pauses += 1;
        await new Promise((resolve) => setTimeout(resolve, STALLED_MS / 4));
      }
    }
  } catch {
    // It was cut off.
  }
  note();
  return { bytes, longestMs };
}

const connections = (): Promise<number> =>
  new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

describe('a response', () => {
  it('is aborted when its reader makes no progress', async () => {
    const socket = await open('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
    socket.pause();
    while ((await connections()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    while ((await connections()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
  });

  it('is not aborted while the service works on it', async () => {
    const answer = await answerTo('GET /slow HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*{"slow":true}$/);
  });

  it('is sent completely to a slow reader', async () => {
    for (let isWhole = false; !isWhole;) {
      const { bytes, longestMs } = await readSlowly();
      isWhole = bytes > LARGE.length;
      // Only where the process of both stood still for as long, a right server cuts it off.
      if (!isWhole) expect(longestMs).toBeGreaterThan(STALLED_MS / 2);
    }
  });
});

describe('an expectation that cannot be met', () => {
  it('is refused in the usual shape, with a request id', async () => {
    const answer = await answerTo(
      'GET /slow HTTP/1.1\r\nhost: x\r\nexpect: a miracle\r\nx-request-id: mine-1\r\nconnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 417 Expectation Failed\r\n/);
    expect(answer.toLowerCase()).toContain('\r\nx-request-id: mine-1\r\n');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      message: 'expect: only 100-continue is supported',
      error: 'Expectation Failed',
      statusCode: 417,
      ...forMachines('expectation_failed'),
    });
  });
});

describe('an unusual method', () => {
  it.each(['QUERY', 'PROPFIND', 'M-SEARCH'])('%s is a 405 with the known ones', async (method) => {
    const answer = await answerTo(`${method} /slow HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(answer.toLowerCase()).toContain('\r\nallow: get, head\r\n');
  });
});
