/** A node over HTTP that answers as it is told: only what is an answer to each call is taken as one. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { createJsonRpcNode } from './json-rpc.ts';
import type { EthereumNode, RpcCall, RpcOptions, RpcOutcome } from './node.ts';
import type { NodeError } from './node-error.ts';
import { PATIENT } from '../../test/support/patient.ts';

const CALLS: readonly RpcCall[] = ['eth_first', 'eth_second'].map((method) => ({ method, params: [] }));
const [A, B] = [
  { id: 0, result: 'a' },
  { id: 1, result: 'b' },
];
const FAULT = { code: -32_005, message: 'limit exceeded' };

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const nodes: EthereumNode[] = [];

beforeEach(async () => {
  server = createServer(LASTING, (request, response) => {
    request.resume();
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function ask(options: RpcOptions = {}, place = '', credentials = ''): Promise<readonly RpcOutcome[]> {
  const { port } = server.address() as AddressInfo;
  const url = `http://${credentials}127.0.0.1:${port}${place}`;
  const node = createJsonRpcNode({ url, label: 'a node', ...PATIENT });
  nodes.push(node);
  return node.send(CALLS, options);
}

/** Outcomes of an answer, or the kind and the message of the fault. */
async function told(body: unknown, status = 200, headers: Record<string, string> = {}): Promise<unknown> {
  answer = (_request, response) =>
    void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  return ask().then(
    (outcomes) => outcomes.map((one) => ('error' in one ? `${one.error.kind}` : one.result)),
    (error: NodeError) => `${error.kind}: ${error.message.replace('a node answered ', '')}`,
  );
}

describe('the answer to two calls', () => {
  it('has a result or an error for each, in any order', async () => {
    expect(await told([B, A])).toEqual(['a', 'b']);
    expect(await told([A, { id: 1, error: FAULT }])).toEqual(['a', 'busy']);
    expect(await told([{ ...A, result: null }, B])).toEqual([null, 'b']);
  });

  it.each([
    ['null', null, 'something that is not JSON-RPC'],
    ['a null in its place', [A, null], 'something that is not JSON-RPC'],
    ['a number in its place', [A, 5], 'something that is not JSON-RPC'],
    ['the same id twice', [A, { ...B, id: 0 }], 'with an id that was not asked'],
    ['an id below', [A, { ...B, id: -1 }], 'with an id that was not asked'],
    ['an id beyond', [A, B, { ...B, id: 2 }], 'with an id that was not asked'],
    ['an id between', [A, { ...B, id: 0.5 }], 'with an id that was not asked'],
    ['an id as a text', [A, { ...B, id: '1' }], 'with an id that was not asked'],
    ['no id', [A, { result: 'b' }], 'with an id that was not asked'],
    ['neither result nor error', [A, { id: 1 }], 'with neither result nor error'],
    ['nothing', [], 'without one of the calls'],
    ['one of them', [A], 'without one of the calls'],
    ['one of them, alone', A, 'without one of the calls'],
    ['no JSON', 'Welcome', 'something that is not JSON'],
  ])('is none with %s', async (_what, body, fault) => {
    expect(await told(body)).toBe(`malformed: ${fault}`);
  });

  it.each([
    ['without an id', [{ error: FAULT }]],
    ['with a null as its id', [{ id: null, error: FAULT }]],
    ['alone', { id: 0, error: FAULT }],
    ['alone, with an id of its own', { id: 'n/a', error: FAULT }],
    ['of the first, and nothing else', [{ id: 0, error: FAULT }]],
  ])('is an error as a whole: %s', async (_what, body) => {
    expect(await told(body)).toBe('busy: -32005: limit exceeded');
  });
});

describe('an HTTP status', () => {
  it.each([
    [402, 'busy'],
    [413, 'refused'],
    [429, 'busy'],
    [503, 'busy'],
    [500, 'unreachable'],
    [404, 'unreachable'],
    [302, 'unreachable'],
  ])('%d without JSON-RPC is %s', async (status, kind) => {
    for (const body of ['<html>', [A, B], [], {}])
      expect(await told(body, status)).toBe(`${kind}: HTTP ${status}`);
  });

  it('of a failure may come with errors, which count; a 429 counts more', async () => {
    const errors = [0, 1].map((id) => ({ id, error: { code: -32_000, message: 'execution reverted' } }));
    expect(await told(errors, 500)).toEqual(['reverted', 'reverted']);
    expect(await told([errors[0], B], 500)).toBe('unreachable: HTTP 500');
    expect(await told(errors, 429)).toBe('busy: HTTP 429');
  });

  it.each([
    [503, { statusCode: 503, error: 'Service Unavailable', message: 'no upstream' }, 'busy: HTTP 503'],
    [500, { error: 'Internal Server Error' }, 'unreachable: HTTP 500'],
    [502, [{ error: 'Bad Gateway' }], 'unreachable: HTTP 502'],
    [
      500,
      { error: 'query returned more than 10000 results' },
      'refused: 0: query returned more than 10000 results',
    ],
    [400, { error: 'no such range' }, 'refused: 0: no such range'],
    [500, { error: { code: -32_601, message: 'no such method' } }, 'refused: -32601: no such method'],
  ])(
    '%d counts unless an error is JSON-RPC’s, or in words that are known: %j',
    async (status, body, outcome) => {
      expect(await told(body, status)).toBe(outcome);
    },
  );

  it.each([
    ['2', 2_000],
    ['0', 0],
    ['', undefined],
    ['-5', undefined],
    ['soon', undefined],
    ['9e999', undefined],
    ['Thu, 01 Jan 1970 00:00:00 GMT', undefined],
  ])('comes with a wish, Retry-After: %s', async (value, expected) => {
    answer = (_request, response) => void response.writeHead(429, { 'retry-after': value }).end();
    const { details } = (await ask().catch((fault: NodeError) => fault)) as NodeError;
    expect(details.retryAfterMs).toBe(expected);
  });

  it('may wish for a date', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    answer = (_request, response) => void response.writeHead(503, { 'retry-after': date }).end();
    const { details } = (await ask().catch((fault: NodeError) => fault)) as NodeError;
    expect(details.retryAfterMs).toBeGreaterThan(1_800_000);
    expect(details.retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });
});

it('credentials with a percent sign that escapes nothing are sent as they are', async () => {
  let sent: string | undefined;
  answer = ({ headers }, response) => {
    sent = headers.authorization;
    response.end(JSON.stringify([A, B]));
  };
  await ask({}, '', 'me:50%25%off@');
  expect(sent).toBe(`Basic ${Buffer.from('me:50%%off').toString('base64')}`);
});

it('credentials of the URL are sent, and no part of it that may be a key is quoted', async () => {
  let sent: string | undefined;
  const secrets = ['p@ss', 'p%40ss', 'a-key-in-the-path', 'a-key-in-the-query'];
  answer = ({ headers }, response) => {
    sent = headers.authorization;
    const message = `v2 of eth-net: ${secrets.join(' ')} at block 1`;
    response.end(JSON.stringify({ error: { code: 1, message } }));
  };
  const asked = ask({}, '/v2/a-key-in-the-path?key=a-key-in-the-query&chain=1', 'me:p%40ss@');
  await expect(asked).rejects.toThrow(/^a node answered 1: v2 of eth-net:(?: \[redacted\]){4} at block 1$/);
  expect(sent).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});

describe('an answer', () => {
  const tooLarge = { kind: 'malformed', details: { tooLarge: true } };

  it('has no more bytes than may be taken, announced or not', async () => {
    const text = JSON.stringify([A, B]);
    answer = (_request, response) => void response.end(text);
    expect(await ask({ maxBytes: text.length })).toEqual([{ result: 'a' }, { result: 'b' }]);
    await expect(ask({ maxBytes: text.length - 1 })).rejects.toMatchObject(tooLarge);
    const closed = Promise.withResolvers<void>();
    answer = (_request, response) => {
      response.once('close', closed.resolve);
      response.write(text);
    };
    await expect(ask({ maxBytes: text.length - 1 })).rejects.toMatchObject(tooLarge);
    await closed.promise;
    answer = (_request, response) => void response.writeHead(200, { 'content-length': 1e9 }).flushHeaders();
    await expect(ask({ maxBytes: 1e6 })).rejects.toMatchObject(tooLarge);
  });

  it('comes within its time', async () => {
    answer = () => undefined;
    await expect(ask({ timeoutMs: 50 })).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('is abandoned with its caller, who may have left before', async () => {
    let asked = 0;
    const leaving = new AbortController();
    const closed = Promise.withResolvers<void>();
    answer = (_request, response) => {
      asked += 1;
      response.once('close', closed.resolve);
      leaving.abort(new Error('the caller has left'));
    };
    const { signal } = leaving;
    await expect(ask({ signal })).rejects.toThrow('the caller has left');
    await closed.promise;
    await expect(ask({ signal })).rejects.toThrow('the caller has left');
    expect(asked).toBe(1);
  });

  it('that breaks off is a fault of the node, whose URL is not named', async () => {
    answer = ({ socket }) => void socket.destroy();
    const error = (await ask({}, '/a-key-in-the-path').catch((fault: unknown) => fault)) as NodeError;
    expect(error).toMatchObject({ kind: 'unreachable' });
    expect(error.message).toMatch(/^a node could not be reached: [\w-]+$/);
  });
});
