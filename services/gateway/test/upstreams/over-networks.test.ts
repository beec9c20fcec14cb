/** Questions about several networks, over one process a network: one that fails is an error of its own networks alone. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { readConfig } from '../../src/config.ts';
import { tellAvailable } from '../../src/upstreams/available.ts';
import { openUpstreams } from '../../src/upstreams/open.ts';
import type { Upstream, UpstreamRequest, Upstreams } from '../../src/upstreams/upstream.ts';
import { startRecordingService, type RecordingService } from '../support/recording-service.ts';

/** Longer than any answer that comes. */
const PATIENCE_MS = 60_000;
const LATE_MS = 300;

let eth: RecordingService;
let base: RecordingService;
let stop: () => Promise<unknown> = () => Promise.resolve();

beforeEach(async () => {
  [eth, base] = await Promise.all([startRecordingService(), startRecordingService()]);
  serve(eth, 'eth-mainnet', 1);
  serve(base, 'base-mainnet', 8_453);
});
afterEach(async () => {
  await stop();
  await Promise.all([eth.close(), base.close()]);
});

/** Answers as the balance service does, of one network; a batch with the rows as they came. */
function serve(service: RecordingService, name: string, chainId: number): void {
  const network = { network_name: name, chain_id: chainId };
  service.answer = (request, response) => {
    const json = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const { url = '' } = request;
    if (url === '/v1/networks')
      json(200, { networks: [{ ...network, finality: { rule: 'depth' }, head: 7 }] });
    else if (url === '/v1/blocks?date=x')
      json(400, error(400, 'invalid_parameter', 'date: expected another'));
    else if (url.startsWith('/v1/blocks'))
      json(200, { date: '2026-01-01T00:00:00.000Z', blocks: [{ ...network, block_number: chainId }] });
    else
      void text(request).then((body) => {
        const rows = JSON.parse(body) as object[];
        json(
          200,
          rows.map((row) => ({ ...network, row })),
        );
      });
  };
}

function error(statusCode: number, code: string, message: string): object {
  return { message, error: 'Some Error', statusCode, code };
}

function open(settings: Readonly<Record<string, string>> = {}): Upstreams {
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  stop = () => lifecycle.shutdown('test');
  const env = {
    SECRETS_KEY: 'sixteen characters',
    BALANCE_URL: `eth-mainnet=${eth.url},base-mainnet=${base.url}`,
    TOKENS_URL: eth.url,
    ORDERS_URL: eth.url,
    UPSTREAM_TIMEOUT_MS: String(PATIENCE_MS),
  };
  return openUpstreams(readConfig({ ...env, ...settings }), lifecycle);
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

function ask(
  upstream: Upstream,
  path: string,
  body?: unknown,
  { method, tags = '"x"' }: { readonly method?: string; readonly tags?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let [status, sent] = [0, ''];
    let headers: IncomingHttpHeaders = {};
    const request: UpstreamRequest = {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      path,
      headers: ['x-request-id', 'r-1', 'accept-encoding', 'gzip', 'if-none-match', tags],
      body: body === undefined ? null : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    };
    upstream.dispatch(request, {
      head: (code, received) => ([status, headers] = [code, received]),
      data: (chunk) => (sent += chunk.toString()) !== '',
      end: () => resolve({ status, headers, body: JSON.parse(sent || '{}') as Answer['body'] }),
      fail: reject,
    });
  });
}

/** Asks until one of the two processes answers: on a busy machine both may be later than the deadline. */
async function untilOneAnswers(upstream: Upstream, path: string, rows?: unknown): Promise<Answer> {
  let found: Answer | undefined;
  await until('one of the two answers', async () => {
    found = await ask(upstream, path, rows).catch(() => undefined);
    return JSON.stringify(found?.body ?? '').split('"error":{').length === 2;
  });
  return found!;
}

/** Makes a service leave requests without an answer. */
function silence(service: RecordingService): void {
  service.answer = () => undefined;
}

describe('a list over two processes', () => {
  it('has the networks of both, in the order of the setting', async () => {
    const { balance } = open();
    const { status, headers, body } = await ask(balance, '/v1/networks');
    expect([status, headers['x-hindsight-units'], headers['cache-control']]).toEqual([
      200,
      '1',
      'private, no-cache',
    ]);
    expect(body.networks).toEqual([
      expect.objectContaining({ network_name: 'eth-mainnet', head: 7 }),
      expect.objectContaining({ network_name: 'base-mainnet', head: 7 }),
    ]);
    const { body: blocks } = await ask(balance, '/v1/blocks?date=2026-01-01');
    expect(blocks).toEqual({
      date: '2026-01-01T00:00:00.000Z',
      blocks: [
        { network_name: 'eth-mainnet', chain_id: 1, block_number: 1 },
        { network_name: 'base-mainnet', chain_id: 8_453, block_number: 8_453 },
      ],
    });
    for (const { headers: received } of [...eth.received, ...base.received])
      expect(Object.keys(received)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(?:accept-encoding|if-none-match)$/)]),
      );
  });

  it('has an entity tag, and is not sent again to a client that has it', async () => {
    const { balance } = open();
    const path = '/v1/blocks?date=2026-01-01';
    const tag = (await ask(balance, path)).headers.etag!;
    const again = await ask(balance, path, undefined, { tags: `"x", ${tag}` });
    expect([again.status, again.headers, again.body]).toEqual([
      304,
      { etag: tag, 'cache-control': 'private, no-cache' },
      {},
    ]);
    serve(base, 'base-mainnet', 8_454);
    expect((await ask(balance, path, undefined, { tags: tag })).status).toBe(200);
  });

  it('is asked for once of a process of several networks', async () => {
    const both = `eth-mainnet=${eth.url},op-mainnet=${eth.url},base-mainnet=${base.url}`;
    const { body } = await ask(open({ BALANCE_URL: both }).balance, '/v1/networks');
    expect([eth.received.length, base.received.length]).toEqual([1, 1]);
    // An entry says that the process does not serve one of them.
    expect(body.networks).toEqual([
      expect.objectContaining({ network_name: 'eth-mainnet', head: 7 }),
      { network_name: 'op-mainnet', error: expect.objectContaining({ code: 'unknown_network' }) },
      expect.objectContaining({ network_name: 'base-mainnet', head: 7 }),
    ]);
  });

  it('takes the networks of the general process that no other has', async () => {
    serve(eth, 'gnosis-mainnet', 100);
    const { balance } = open({ BALANCE_URL: `${eth.url},base-mainnet=${base.url}` });
    const { body } = await ask(balance, '/v1/networks');
    expect((body.networks as { network_name: string }[]).map(({ network_name }) => network_name)).toEqual([
      'base-mainnet',
      'gnosis-mainnet',
    ]);
    serve(eth, 'base-mainnet', 8_453);
    expect((await ask(balance, '/v1/networks')).body.networks).toHaveLength(2);
  });

  it('lists an unreachable one with what is known of it', async () => {
    const { balance } = open();
    await ask(balance, '/v1/networks');
    await base.close();
    const { status, body } = await ask(balance, '/v1/networks');
    expect([status, body.networks]).toEqual([
      200,
      [
        expect.objectContaining({ network_name: 'eth-mainnet', head: 7 }),
        {
          network_name: 'base-mainnet',
          chain_id: 8_453,
          finality: { rule: 'depth' },
          error: expect.objectContaining({ code: 'service_unavailable', statusCode: 503 }),
        },
      ],
    ]);
    const { body: blocks } = await ask(balance, '/v1/blocks?date=2026-01-01');
    expect((blocks.blocks as unknown[])[1]).toEqual({
      network_name: 'base-mainnet',
      chain_id: 8_453,
      error: expect.objectContaining({ code: 'service_unavailable' }),
    });
  });

  it('waits for a slow one no longer than the deadline', async () => {
    silence(base);
    const { balance } = open({ UPSTREAM_TIMEOUT_MS: String(LATE_MS) });
    const { body } = await untilOneAnswers(balance, '/v1/blocks?date=2026-01-01');
    expect(body.blocks).toEqual([
      expect.objectContaining({ block_number: 1 }),
      { network_name: 'base-mainnet', error: expect.objectContaining({ code: 'deadline_exceeded' }) },
    ]);
  });

  it('passes on what is wrong with the question, and that none can answer', async () => {
    const { balance } = open();
    const wrong = await ask(balance, '/v1/blocks?date=x');
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_parameter']);
    const down = (_: IncomingMessage, response: ServerResponse): unknown =>
      response.writeHead(503).end(JSON.stringify(error(503, 'overloaded', 'Not now.')));
    [eth.answer, base.answer] = [down, down];
    expect((await ask(balance, '/v1/networks')).status).toBe(503);
    await Promise.all([eth.close(), base.close()]);
    await expect(ask(balance, '/v1/networks')).rejects.toThrow(/connect|closed|refused/i);
  });

  it('reports an answer that cannot be read', async () => {
    base.answer = (_, response) => response.end('{"networks":');
    const { body } = await ask(open().balance, '/v1/networks');
    expect((body.networks as unknown[])[1]).toEqual({
      network_name: 'base-mainnet',
      error: expect.objectContaining({ message: 'The service gave no answer that can be read.' }),
    });
  });

  it('reports an answer that is too long to be one, and takes no more of it', async () => {
    const closed = new Promise((resolve) => {
      base.answer = (_, response) => {
        response.once('close', resolve);
        response.write('x'.repeat(4 * 1024 * 1024 + 1));
      };
    });
    const { body } = await ask(open().balance, '/v1/networks');
    expect((body.networks as unknown[])[1]).toEqual({
      network_name: 'base-mainnet',
      error: expect.objectContaining({ code: 'service_unavailable' }),
    });
    await closed;
  });

  it('fails without the networks of the general process', async () => {
    const { balance } = open({ BALANCE_URL: `${eth.url},base-mainnet=${base.url}` });
    await eth.close();
    await expect(ask(balance, '/v1/networks')).rejects.toThrow();
  });

  it('answers HEAD as it answers GET', async () => {
    const { status } = await ask(open().balance, '/v1/networks', undefined, { method: 'HEAD' });
    expect([status, eth.received[0]?.method]).toEqual([200, 'GET']);
  });

  it('cancels its requests once the client has left', async () => {
    silence(eth);
    silence(base);
    const closed = Promise.all(
      [eth, base].map(
        (service) =>
          new Promise<void>((resolve) => {
            service.answer = (_, response) => void response.once('close', resolve);
          }),
      ),
    );
    const failed = Promise.withResolvers<Error>();
    const exchange = open().balance.dispatch(
      { method: 'GET', path: '/v1/networks', headers: [], body: null },
      { head: () => undefined, data: () => true, end: () => undefined, fail: failed.resolve },
    );
    while (eth.received.length + base.received.length < 2) await new Promise(setImmediate);
    exchange.cancel(new Error('the client left'));
    expect((await failed.promise).message).toBe('the client left');
    await closed;
  });
});

describe('rows over two processes', () => {
  const row = (network: unknown, at: number): object => ({ network, at });

  it('go to the process of their network, and are answered in their order', async () => {
    const { balance } = open();
    const rows = ['base-mainnet', 'eth-mainnet', 'base-mainnet'].map(row);
    const { status, headers, body } = await ask(balance, '/v1/balance/batch', rows);
    expect([status, headers['x-hindsight-units'], headers['cache-control']]).toEqual([200, '1', 'no-store']);
    expect(body).toEqual(
      rows.map((one, at) => expect.objectContaining({ chain_id: at === 1 ? 1 : 8_453, row: one })),
    );
    expect([eth.received.length, base.received.length]).toEqual([1, 1]);
  });

  it('cost what they cost together', async () => {
    const rows = Array.from({ length: 150 }, (_, at) => row(at < 99 ? 'base-mainnet' : 'eth-mainnet', at));
    const { headers } = await ask(open().balance, '/v1/balance/batch', rows);
    expect(headers['x-hindsight-units']).toBe('2');
  });

  it('of a network that is not served are errors; those without a network get the service’s error', async () => {
    const rows = [row('op-mainnet', 0), row(undefined, 1), 5, null, row('x'.repeat(500), 4)];
    const { body } = await ask(open().balance, '/v1/balance/batch', rows);
    const unknown = (name: string): object => ({
      error: expect.objectContaining({
        code: 'unknown_network',
        message: `The network ${name} is not served here; served: eth-mainnet, base-mainnet`,
      }),
    });
    const answered = expect.objectContaining({ network_name: 'eth-mainnet' });
    expect(body).toEqual([unknown('op-mainnet'), answered, answered, answered, unknown('x'.repeat(60))]);
  });

  it('are errors where their process cannot be reached or is slow; the others are answered', async () => {
    silence(base);
    const { balance } = open({ UPSTREAM_TIMEOUT_MS: String(LATE_MS) });
    const rows = ['base-mainnet', 'eth-mainnet'].map(row);
    const late = await untilOneAnswers(balance, '/v1/balance/batch', rows);
    expect(late.body).toEqual([
      { error: expect.objectContaining({ code: 'deadline_exceeded' }) },
      expect.objectContaining({ chain_id: 1 }),
    ]);
    await base.close();
    const closed = await untilOneAnswers(balance, '/v1/balance/batch', rows);
    expect(closed.body).toEqual([
      { error: expect.objectContaining({ code: 'service_unavailable' }) },
      expect.objectContaining({ chain_id: 1 }),
    ]);
  });

  it('are errors where their process answers another number of them: none can be told from the others', async () => {
    base.answer = (_, response) => response.end(JSON.stringify([{ balance: '1' }]));
    const rows = ['base-mainnet', 'eth-mainnet', 'base-mainnet'].map(row);
    const { body } = await ask(open().balance, '/v1/balance/batch', rows);
    const broken = { error: expect.objectContaining({ code: 'service_unavailable' }) };
    expect(body).toEqual([broken, expect.objectContaining({ chain_id: 1 }), broken]);
  });

  it.each([
    ['no rows', []],
    ['no list', { network: 'eth-mainnet' }],
    ['too many rows', Array.from({ length: 1_001 }, () => ({ network: 'base-mainnet' }))],
    [
      'too many values',
      Array.from({ length: 50 }, () => ({ network: 'base-mainnet', values: Array(1_000).fill(1) })),
    ],
    ['no JSON', '[{'],
  ])('are not counted by the gateway where there are %s: a service says what is wrong', async (_, sent) => {
    eth.answer = (_request, response) =>
      response.writeHead(400).end(JSON.stringify(error(400, 'invalid_body', 'no')));
    const { status, body } = await ask(open().balance, '/v1/balance/batch', sent);
    expect([status, body.code, base.received]).toEqual([400, 'invalid_body', []]);
  });
});

describe('one process that serves more networks than the gateway', () => {
  const settings = (): Record<string, string> => ({
    NETWORKS: 'op-mainnet,eth-mainnet',
    BALANCE_URL: eth.url,
  });

  it('is asked about those of the gateway alone', async () => {
    eth.answer = (_, response) =>
      response.end(
        JSON.stringify({ networks: [{ network_name: 'eth-mainnet' }, { network_name: 'base-mainnet' }] }),
      );
    const { balance } = open(settings());
    expect((await ask(balance, '/v1/networks')).body.networks).toEqual([
      { network_name: 'eth-mainnet' },
      { network_name: 'op-mainnet', error: expect.objectContaining({ code: 'unknown_network' }) },
    ]);
    serve(eth, 'base-mainnet', 8_453);
    const rows = ['base-mainnet', 'eth-mainnet'].map((network) => ({ network }));
    expect((await ask(balance, '/v1/balance/batch', rows)).body).toEqual([
      { error: expect.objectContaining({ code: 'unknown_network' }) },
      expect.objectContaining({ row: rows[1] }),
    ]);
    expect(eth.received).toHaveLength(2);
  });

  it('gets a question about votes as it came', async () => {
    eth.answer = (request, response) => void text(request).then((body) => response.end(body));
    const { body } = await ask(open(settings()).balance, '/v1/scores', '{ "params": 1 }');
    expect(body).toEqual({ params: 1 });
    expect(eth.received[0]?.headers).toMatchObject({ 'accept-encoding': 'gzip', 'if-none-match': '"x"' });
  });
});

describe('votes over two processes', () => {
  const refuse = (service: RecordingService, status: number, code: string): void => {
    service.answer = (_, response) =>
      response.writeHead(status).end(JSON.stringify(error(status, code, service.url)));
  };
  const vote = (): Promise<Answer> => ask(open().balance, '/v1/scores', { params: { network: '8453' } });

  it('are answered by the process that serves their network', async () => {
    refuse(eth, 404, 'unknown_network');
    base.answer = (_, response) => response.setHeader('x-hindsight-units', 7).end('{"result":1}');
    const { status, headers, body } = await vote();
    expect([status, headers['x-hindsight-units'], body]).toEqual([200, '7', { result: 1 }]);
    await eth.close();
    expect((await vote()).body).toEqual({ result: 1 });
  });

  it('are refused as by the first that knows the network, or else by the first', async () => {
    refuse(eth, 404, 'unknown_network');
    refuse(base, 404, 'block_above_head');
    expect((await vote()).body).toMatchObject({ code: 'block_above_head', message: base.url });
    refuse(base, 404, 'unknown_network');
    expect((await vote()).body).toMatchObject({ code: 'unknown_network', message: eth.url });
  });

  it('fail where the process that does not answer may be the one that serves their network', async () => {
    refuse(eth, 404, 'unknown_network');
    await base.close();
    await expect(vote()).rejects.toThrow(/connect|closed|refused/i);
  });
});

describe('what other services have of a network', () => {
  const say = (service: RecordingService, networks: readonly object[]): void => {
    service.answer = (_, response) => response.end(JSON.stringify({ networks }));
  };
  const named = { network_name: 'eth-mainnet', available: { names: true } };

  it('is in the list of networks, and null while it is not known', async () => {
    const upstreams = open({ BALANCE_URL: eth.url, ORDERS_URL: base.url });
    const listed = (): Promise<Answer> => ask(tellAvailable(upstreams), '/v1/networks');
    say(eth, [named, { network_name: 'my-chain', error: {} }]);
    say(base, [{ network_name: 'eth-mainnet', available: { orders: true } }]);
    expect((await listed()).body.networks).toEqual([
      { ...named, available: { names: true, orders: true, index: false } },
      { network_name: 'my-chain', error: {} },
    ]);
    say(base, [{ network_name: 'base-mainnet', available: { orders: true } }]);
    expect((await listed()).body.networks).toMatchObject([{ available: { orders: false } }, {}]);
    await base.close();
    expect((await listed()).body.networks).toMatchObject([{ available: { orders: null } }, {}]);
  });

  it('is nothing where their process does not serve it', async () => {
    const upstreams = open({ BALANCE_URL: eth.url, ORDERS_URL: base.url, NETWORKS: 'eth-mainnet' });
    say(eth, [named]);
    say(base, []);
    const { body } = await ask(tellAvailable(upstreams), '/v1/networks');
    expect(body.networks).toMatchObject([{ available: { orders: false } }]);
  });

  it('is not asked for with any other question', async () => {
    const upstreams = open({ BALANCE_URL: eth.url, ORDERS_URL: base.url });
    say(eth, []);
    await ask(tellAvailable(upstreams), '/v1/blocks?date=2026-01-01');
    expect(base.received).toEqual([]);
  });
});
