import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { UNITS_HEADER } from '@hindsight/http/units.ts';
import { createPoolUpstream } from './pool-upstream.ts';
import type { Upstream, UpstreamSink } from './upstream.ts';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { startRecordingService, type RecordingService } from '../../test/support/recording-service.ts';
import { forward, type Asking } from './forward.ts';

let service: RecordingService;
let upstream: Upstream;
let server: Server;

beforeAll(async () => {
  service = await startRecordingService();
  upstream = createPoolUpstream({
    origin: service.url,
    bodyTimeout: 60_000,
    limits: { atOnce: 1, waiting: 1 },
  });
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await upstream.close();
  await service.close();
});
beforeEach(() => {
  service.received.length = 0;
  service.answer = (_request, response) => response.end('{}');
});

/** A client who has sent a request, and the response that it waits for. */
async function waitingClient(): Promise<{ client: Socket; response: Asking['response'] }> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1', () =>
    client.write('GET / HTTP/1.1\r\nhost: gateway\r\n\r\n'),
  );
  const [, response] = (await once(server, 'request')) as [unknown, Asking['response']];
  return { client, response };
}

const REQUEST = { method: 'GET', path: '/v1/x', headers: [], body: null };

it('a client that leaves during admission causes no upstream request and no count', async () => {
  const { client, response } = await waitingClient();
  const closed = once(response, 'close');
  client.destroy();
  await closed;
  const asking = { response, writes: false, timeoutMs: 60_000 };
  expect(await forward(upstream, REQUEST, asking)).toBeUndefined();
  expect(service.received).toEqual([]);
});

it('what a service says before its answer is not the answer', async () => {
  service.answer = (_request, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
    response.end('{}');
  };
  const heads: number[] = [];
  await new Promise<void>((resolve, reject) => {
    upstream.dispatch(REQUEST, {
      head: (statusCode) => void heads.push(statusCode),
      data: () => true,
      end: resolve,
      fail: reject,
    });
  });
  expect(heads).toEqual([200]);
});

it('a write is not cancelled where its client leaves before the answer, which is awaited and then dropped', async () => {
  const cancelled: string[] = [];
  let sink: UpstreamSink;
  const writing: Upstream = {
    dispatch(_request, to) {
      sink = to;
      return { resume: () => undefined, cancel: ({ name }) => void cancelled.push(name) };
    },
    close: async () => undefined,
  };
  const { client, response } = await waitingClient();
  const forwarded = forward(writing, REQUEST, { response, writes: true, timeoutMs: 60_000 });
  const closed = once(response, 'close');
  client.destroy();
  await closed;
  expect(cancelled).toEqual([]);
  sink!.head(200, {});
  const answer = await forwarded;
  expect(answer?.statusCode).toBe(200);
  answer!.send([], (tag) => tag);
  expect([cancelled, response.headersSent]).toEqual([['ClientLeft'], false]);
});

describe('the upstream timeout', () => {
  it('starts with the request, includes time in the queue, and drops a queued request that times out', async () => {
    const waited = new Promise((resolve) => {
      service.answer = (_request, response) => resolve(response);
    });
    const ignoring = { head: () => undefined, data: () => true, end: () => undefined, fail: () => undefined };
    const other = upstream.dispatch({ ...REQUEST, path: '/other' }, ignoring);
    await waited;
    const { client, response } = await waitingClient();
    const forwarded = forward(upstream, REQUEST, { response, writes: false, timeoutMs: 20 });
    await expect(forwarded).rejects.toMatchObject({ statusCode: 504 });
    other.cancel(new Error('enough'));
    service.answer = (_request, answer) => answer.end('{}');
    const next = await waitingClient();
    await forward(
      upstream,
      { ...REQUEST, path: '/next' },
      { response: next.response, writes: false, timeoutMs: 60_000 },
    );
    expect(service.received.map(({ url }) => url)).toEqual(['/other', '/next']);
    for (const each of [client, next.client]) each.destroy();
  });

  it('ends with the head of the answer; the body may take longer', async () => {
    const { client, response } = await waitingClient();
    const slow: Upstream = {
      ...upstream,
      dispatch(_request, sink) {
        queueMicrotask(() => sink.head(200, {}));
        setTimeout(() => sink.end(), 100);
        return { resume: () => undefined, cancel: sink.fail.bind(sink) };
      },
    };
    const answer = await forward(slow, REQUEST, { response, writes: false, timeoutMs: 20 });
    answer?.send([], (tag) => tag);
    await once(response, 'close');
    expect([response.statusCode, response.writableFinished]).toEqual([200, true]);
    client.destroy();
  });
});

describe('a stream', () => {
  const body = {
    isWaiting: false,
    moved: false,
    hasMoved(): boolean {
      const { moved } = body;
      body.moved = false;
      return moved;
    },
  };
  let sink: UpstreamSink;
  const held: Upstream = {
    dispatch(_request, to) {
      sink = to;
      return { resume: () => undefined, cancel: (reason) => to.fail(reason) };
    },
    close: async () => undefined,
  };

  beforeEach(() => {
    const doNotFake = ['nextTick', 'queueMicrotask', 'setImmediate', 'setInterval', 'performance', 'Date'];
    jest.useFakeTimers({ doNotFake: doNotFake as 'Date'[] });
    Object.assign(body, { isWaiting: false, moved: false });
  });
  afterEach(() => void jest.useRealTimers());

  const begin = async () => {
    const { client, response } = await waitingClient();
    const forwarded = forward(held, REQUEST, { response, writes: false, timeoutMs: 1_000, stream: body });
    forwarded.catch(() => undefined);
    return { client, response, forwarded };
  };

  it('may take as long as it makes progress, in either direction', async () => {
    const { client, response, forwarded } = await begin();
    for (let n = 0; n < 5; n++) {
      body.moved = true;
      jest.advanceTimersByTime(1_000);
    }
    sink.head(200, {});
    const answer = await forwarded;
    answer!.send([], (tag) => tag);
    for (let n = 0; n < 5; n++) {
      jest.advanceTimersByTime(999);
      sink.data(Buffer.from('x'));
    }
    expect(response.destroyed).toBe(false);
    jest.advanceTimersByTime(1_000);
    expect([response.destroyed, answer!.clientLeft]).toEqual([true, false]);
    client.destroy();
  });

  it('whose client does not read its answer waits for that client, not for its service', async () => {
    const { client, response, forwarded } = await begin();
    sink.head(200, {});
    (await forwarded)!.send([], (tag) => tag);
    // More than both ends of a connection take.
    expect(sink.data(Buffer.alloc(64 * 1024 * 1024))).toBe(false);
    jest.advanceTimersByTime(10_000);
    expect(response.destroyed).toBe(false);
    client.destroy();
  });

  it.each([
    ['0', 0],
    ['999999999', 999_999_999],
    ['1000000000', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('whose service says that it costs %j costs %j', async (said, units) => {
    const { client, forwarded } = await begin();
    sink.head(200, said === undefined ? {} : { [UNITS_HEADER]: said });
    expect((await forwarded)!.units).toBe(units);
    client.destroy();
  });

  it('has little of its answer held before that is sent', async () => {
    const { client, forwarded } = await begin();
    sink.head(200, {});
    expect([sink.data(Buffer.alloc(64 * 1024 - 1)), sink.data(Buffer.alloc(1))]).toEqual([true, false]);
    await forwarded;
    client.destroy();
  });

  it('whose service breaks off before its answer is sent ends as broken', async () => {
    const { client, response, forwarded } = await begin();
    sink.head(200, {});
    sink.data(Buffer.from('half'));
    sink.fail(new Error('broken off'));
    (await forwarded)!.send([], (tag) => tag);
    expect(response.destroyed).toBe(true);
    client.destroy();
  });

  it.each<[string, (answer: { discard: (reason: Error) => void }) => void]>([
    ['has ended', () => sink.end()],
    ['is discarded', (answer) => answer.discard(new Error('refused'))],
    ['has broken off', () => sink.fail(new Error('broken off'))],
  ])('that %s is not waited for', async (_what, end) => {
    const { client, forwarded } = await begin();
    sink.head(200, {});
    const answer = (await forwarded)!;
    expect(jest.getTimerCount()).toBe(1);
    end(answer);
    expect(jest.getTimerCount()).toBe(0);
    client.destroy();
  });

  it.each<[what: string, isClients: boolean, end: (client: Socket) => void]>([
    ['its client leaves', true, (client) => client.destroy()],
    ['its service breaks off', false, () => sink.fail(new Error('broken off'))],
    ['its client is waited for in vain', true, () => void jest.advanceTimersByTime(1_000)],
    ['its service is waited for in vain', false, () => void jest.advanceTimersByTime(1_000)],
  ])('knows whose doing it is where %s in the middle of its answer', async (_what, isClients, end) => {
    const { client, response, forwarded } = await begin();
    const closed = once(response, 'close');
    sink.head(200, {});
    const answer = (await forwarded)!;
    answer.send([], (tag) => tag);
    body.isWaiting = isClients;
    end(client);
    await closed;
    expect(answer.clientLeft).toBe(isClients);
    client.destroy();
  });

  it.each([
    ['its service', false, 504],
    ['its client', true, 408],
  ])('that waits for %s in vain is refused accordingly', async (_who, isWaiting, statusCode) => {
    const { client, forwarded } = await begin();
    body.isWaiting = isWaiting;
    jest.advanceTimersByTime(1_000);
    await expect(forwarded).rejects.toMatchObject({ statusCode });
    client.destroy();
  });
});
