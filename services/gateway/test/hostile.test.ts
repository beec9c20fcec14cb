/** A malicious peer is refused, and no service ever sees it. */
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BALANCE, startWithProject } from './support/gateway-world.ts';

const WEBHOOK = '/v1/eth-mainnet/orders/dex-webhook';
/** A slow peer has 10 s for its headers and 15 s for all, looked at every 2 s. */
const SLOW_MS = 120_000;

let url: URL;

const world = forAllTests(startWithProject, 'close');
beforeAll(() => {
  url = new URL(world.url);
});

beforeEach(() => {
  world.service.received.length = 0;
  world.service.answer = (request, response) => {
    request.resume();
    response.end('{}');
  };
});

/** Sends raw bytes. @returns everything received until the server ends, or until it contains `until` */
function send(bytes: string, until?: RegExp, during?: (socket: Socket) => () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(url.port), url.hostname, () => socket.write(bytes, 'latin1'));
    const stop = during?.(socket);
    const end = (): void => {
      stop?.();
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(SLOW_MS, () => {
      stop?.();
      socket.destroy();
      reject(new Error(`no answer; so far: ${answer}`));
    });
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (until?.test(answer)) end();
    });
    socket.on('error', end);
    socket.on('close', end);
  });
}

/** Every 200 ms another byte. */
const dripping =
  (byte: string) =>
  (socket: Socket): (() => void) => {
    const timer = setInterval(() => socket.writable && socket.write(byte), 200);
    return () => clearInterval(timer);
  };

const withKey = (line: string, ...headers: string[]): string =>
  [line, 'host: x', `x-api-key: ${world.key}`, ...headers, '', ''].join('\r\n');
const post = (...headers: string[]): string => withKey(`POST ${WEBHOOK} HTTP/1.1`, ...headers);

describe('ambiguous bytes, which two parsers could read differently', () => {
  it.each<[what: string, bytes: () => string]>([
    ['a length and chunks', () => `${post('content-length: 5', 'transfer-encoding: chunked')}0\r\n\r\n`],
    ['chunks and a length', () => `${post('transfer-encoding: chunked', 'content-length: 5')}0\r\n\r\n`],
    ['two lengths', () => `${post('content-length: 5', 'content-length: 6')}hello!`],
    ['a list of lengths', () => `${post('content-length: 5, 6')}hello!`],
    ['a length with a sign', () => `${post('content-length: +5')}hello`],
    ['a length in hexadecimal', () => `${post('content-length: 0x5')}hello`],
    [
      'a coding that does not end in chunks',
      () => `${post('transfer-encoding: chunked, identity')}0\r\n\r\n`,
    ],
    ['an unknown coding', () => `${post('transfer-encoding: xchunked')}0\r\n\r\n`],
    ['a space before a colon', () => `${post('transfer-encoding : chunked')}0\r\n\r\n`],
    ['a folded header', () => `${post('transfer-encoding:', ' chunked')}0\r\n\r\n`],
    ['a bare CR in a header', () => withKey(`GET ${BALANCE} HTTP/1.1`, 'x-a: b\rx-c: d')],
    ['a null byte in a header', () => withKey(`GET ${BALANCE} HTTP/1.1`, 'x-a: b\0c')],
    ['a chunk with an invalid size', () => `${post('transfer-encoding: chunked')}zz\r\nhello\r\n0\r\n\r\n`],
    [
      'a chunk longer than its declared size',
      () => `${post('transfer-encoding: chunked')}2\r\nhello\r\n0\r\n\r\n`,
    ],
    [
      'two hosts',
      () => withKey(`GET ${BALANCE} HTTP/1.1`, 'host: y').replace('host: x', 'host: x\r\nhost : y'),
    ],
    ['headers of 100 KB', () => withKey(`GET ${BALANCE} HTTP/1.1`, `x-pad: ${'a'.repeat(100_000)}`)],
    ['a query behind a fragment', () => withKey(`GET ${BALANCE}#order=balance HTTP/1.1`)],
    ['a URL of 100 KB', () => withKey(`GET ${BALANCE}?a=${'a'.repeat(100_000)} HTTP/1.1`)],
  ])('%s: refused', async (_what, bytes) => {
    const answer = await send(bytes());
    expect(answer).toMatch(/^HTTP\/1\.1 4(00|31) /);
    expect(answer).not.toContain('HTTP/1.1 200');
    expect(world.service.received).toEqual([]);
  });

  it('a request hidden in the body of a GET is not forwarded', async () => {
    const hidden = `GET ${BALANCE}?hidden HTTP/1.1\r\nhost: x\r\nx-api-key: ${world.key}\r\n\r\n`;
    const visible = withKey(
      `GET ${BALANCE} HTTP/1.1`,
      `content-length: ${hidden.length}`,
      'connection: close',
    );
    const answer = await send(visible + hidden);
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
    expect(world.service.received.map(({ url: path }) => path)).toEqual([BALANCE]);
    expect(world.service.received[0]!.headers).not.toHaveProperty('content-length');
  });

  it('a request behind another one needs a key of its own', async () => {
    const first = `${post('content-length: 2')}{}`;
    const second = `GET ${BALANCE}?second HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
    const answer = await send(first + second);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401']);
    expect(world.service.received.map(({ url: path }) => path)).toEqual([WEBHOOK]);
  });

  it('a path behind a server’s address is forwarded alone', async () => {
    const line = `GET http://other${BALANCE}?a=http://b/c HTTP/1.1`;
    expect(await send(withKey(line, 'connection: close'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(world.service.received.map(({ url: path }) => path)).toEqual([`${BALANCE}?a=http://b/c`]);
  });

  it('pipelined requests are answered in their order', async () => {
    world.service.answer = (request, response) =>
      void setTimeout(() => response.end(request.url), request.url?.endsWith('1') ? 100 : 0);
    const one = (n: number, ...headers: string[]): string =>
      withKey(`GET ${BALANCE}?n=${n} HTTP/1.1`, ...headers);
    const answer = await send(one(1) + one(2) + one(3, 'connection: close'));
    expect(answer.match(/n=\d/g)).toEqual(['n=1', 'n=2', 'n=3']);
  });
});

describe('the webhook’s body', () => {
  it('is not awaited without a key', async () => {
    const stranger = `POST ${WEBHOOK} HTTP/1.1\r\nhost: x\r\ncontent-length: 60000\r\n\r\n`;
    const answer = await send(stranger, /statusCode":401/);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(world.service.received).toEqual([]);
  });

  it('is refused by its declared length, before it arrives', async () => {
    const answer = await send(post('content-length: 10000000'), /statusCode":413/);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('body: it is larger than 65536 bytes');
    expect(world.service.received).toEqual([]);
  });

  it('is refused when its chunks become too long', async () => {
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
    const answer = await send(post('transfer-encoding: chunked') + chunk.repeat(3), /statusCode":413/);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(world.service.received).toEqual([]);
  });

  it('is passed on complete, chunked or not', async () => {
    const bodies: string[] = [];
    world.service.answer = (request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        bodies.push(body);
        response.end('{}');
      });
    };
    await send(`${post('content-length: 7', 'connection: close')}{"a":1}`);
    await send(
      `${post('transfer-encoding: chunked', 'connection: close')}3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n`,
    );
    expect(bodies).toEqual(['{"a":1}', '{"a":1}']);
    expect(world.service.received.map(({ headers }) => headers['content-length'])).toEqual(['7', '7']);
  });
});

describe('bodies of many rows', () => {
  it('that do not come are held up to the share of their account, and leave it with their senders', async () => {
    const path = `${world.url}/v1/eth-mainnet/balance/batch`;
    const headers = { 'x-api-key': world.key, 'content-length': 1024 * 1024 };
    const begun = Array.from({ length: 33 }, () =>
      httpRequest(path, { method: 'POST', headers, agent: false }),
    );
    const answers = begun.map(async (request) => {
      request.on('error', () => undefined).flushHeaders();
      return (await once(request, 'response')) as [IncomingMessage];
    });
    const [refused] = await Promise.race(answers);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5']);
    for (const request of begun) request.destroy();
    const rows = { method: 'POST', headers: { 'x-api-key': world.key }, body: ' '.repeat(1024 * 1024) };
    await until('there is room again', async () => (await fetch(path, rows)).status === 200);
  });
});

describe('a peer that never finishes', () => {
  it('is disconnected, in its headers or its body, and no service sees it', async () => {
    const snapshot = 'POST /v1/eth-mainnet/balance/snapshot?token_address=native HTTP/1.1';
    const [headers, body, strangers] = await Promise.all([
      send(`GET ${BALANCE} HTTP/1.1\r\nx-drip: `, undefined, dripping('a')),
      send(post('content-length: 60000'), undefined, dripping('b')),
      send(`${snapshot}\r\nhost: x\r\ncontent-length: 60000\r\n\r\n`, undefined, dripping('c')),
    ]);
    expect([headers, body, strangers].map((answer) => answer.split('\r\n', 1)[0])).toEqual([
      'HTTP/1.1 408 Request Timeout',
      'HTTP/1.1 408 Request Timeout',
      'HTTP/1.1 401 Unauthorized',
    ]);
    expect(world.service.received).toEqual([]);
  });
});
