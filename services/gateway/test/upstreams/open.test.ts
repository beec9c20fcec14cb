/** The way of a request about a network: no network keeps a place from another. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { ServerResponse } from 'node:http';
import { readConfig } from '../../src/config.ts';
import { openUpstreams } from '../../src/upstreams/open.ts';
import type { Upstreams } from '../../src/upstreams/upstream.ts';
import { USUAL_LIMITS } from '../../src/upstreams/limited-upstream.ts';
import { startRecordingService, type RecordingService } from '../support/recording-service.ts';

let shared: RecordingService;
let ofBase: RecordingService;
let stop: () => Promise<unknown> = () => Promise.resolve();

beforeEach(async () => {
  [shared, ofBase] = await Promise.all([startRecordingService(), startRecordingService()]);
  for (const service of [shared, ofBase]) service.answer = (_, response) => response.end(service.url);
});
afterEach(async () => {
  await stop();
  await Promise.all([shared.close(), ofBase.close()]);
});

function open(settings: Readonly<Record<string, string>>): Upstreams {
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  stop = () => lifecycle.shutdown('test');
  const { url } = shared;
  const env = { SECRETS_KEY: 'sixteen characters', BALANCE_URL: url, TOKENS_URL: url, ORDERS_URL: url };
  return openUpstreams(readConfig({ ...env, ...settings }), lifecycle);
}

function ask({ balance: upstream }: Upstreams, path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let [status, text] = [0, ''];
    const request = { method: 'GET', path, headers: ['x-request-id', 'r-1'], body: null };
    upstream.dispatch(request, {
      head: (code) => (status = code),
      data: (chunk) => (text += chunk.toString()) !== '',
      end: () => resolve({ status, text }),
      fail: reject,
    });
  });
}

const pathOf = (network: string): string => `/v1/${network}/balance/native?holder=x`;

describe('one process for all networks', () => {
  it('says itself which it serves, unless NETWORKS does', async () => {
    const upstreams = open({});
    expect(await ask(upstreams, pathOf('no-net'))).toEqual({ status: 200, text: shared.url });
  });

  it('gets no request about a network that is not in NETWORKS', async () => {
    const upstreams = open({ NETWORKS: 'eth-mainnet, base-mainnet' });
    for (const network of ['eth-mainnet', 'base-mainnet', 'base%2Dmainnet'])
      expect(await ask(upstreams, pathOf(network))).toEqual({ status: 200, text: shared.url });
    for (const network of ['op-mainnet', '%E0%A4', '', 'x'.repeat(500)]) {
      const { status, text } = await ask(upstreams, pathOf(network));
      expect([status, JSON.parse(text)]).toEqual([
        404,
        expect.objectContaining({
          code: 'unknown_network',
          message: `The network ${network.slice(0, 60)} is not served here; served: eth-mainnet, base-mainnet`,
          request_id: 'r-1',
        }),
      ]);
    }
    expect(shared.received).toHaveLength(3);
  });

  it('answers one network while all places of another wait', async () => {
    const upstreams = open({ NETWORKS: 'eth-mainnet,base-mainnet' });
    const waiting: ServerResponse[] = [];
    shared.answer = ({ url = '' }, response) => {
      if (url.startsWith('/v1/base-mainnet/')) waiting.push(response);
      else response.end('answered');
    };
    const most = USUAL_LIMITS.atOnce + USUAL_LIMITS.waiting;
    const asked = Array.from({ length: most }, () => ask(upstreams, pathOf('base-mainnet')));
    await expect(ask(upstreams, pathOf('base-mainnet'))).rejects.toThrow('too many requests wait');
    expect(await ask(upstreams, pathOf('eth-mainnet'))).toEqual({ status: 200, text: 'answered' });
    shared.answer = (_, response) => response.end('late');
    for (const response of waiting) response.end('late');
    expect(new Set((await Promise.all(asked)).map(({ text }) => text))).toEqual(new Set(['late']));
  });
});

describe('a process for one network', () => {
  it('gets its requests, the others go where no network is named', async () => {
    const upstreams = open({ BALANCE_URL: `${shared.url}, base-mainnet=${ofBase.url}` });
    expect((await ask(upstreams, pathOf('base-mainnet'))).text).toBe(ofBase.url);
    expect((await ask(upstreams, pathOf('eth-mainnet'))).text).toBe(shared.url);
    expect((await ask(upstreams, pathOf('no-net'))).text).toBe(shared.url);
  });

  it('may be all that there is: any other network is a 404', async () => {
    const upstreams = open({ BALANCE_URL: `base-mainnet=${ofBase.url},eth-mainnet=${shared.url}` });
    expect((await ask(upstreams, pathOf('base-mainnet'))).text).toBe(ofBase.url);
    expect((await ask(upstreams, pathOf('eth-mainnet'))).text).toBe(shared.url);
    const { status, text } = await ask(upstreams, pathOf('op-mainnet'));
    expect([status, (JSON.parse(text) as { message: string }).message]).toEqual([
      404,
      'The network op-mainnet is not served here; served: base-mainnet, eth-mainnet',
    ]);
  });
});

describe('the setting', () => {
  it.each([
    'http://a:1,http://b:1',
    'base-mainnet=http://a:1,base-mainnet=http://b:1',
    'Base=http://a:1',
    'base-mainnet=',
    'https://a:1',
    ',',
  ])('%s is refused', (url) => {
    expect(() => open({ BALANCE_URL: url })).toThrow('BALANCE_URL is (secret)');
  });

  it('takes several URLs of the orders service, for a network too', () => {
    const several = 'http://a:1,http://b:1,base-mainnet=http://c:1,base-mainnet=http://d:1';
    const config = readConfig({
      ...{ SECRETS_KEY: 'sixteen characters', BALANCE_URL: 'http://a:1', TOKENS_URL: 'http://a:1' },
      ORDERS_URL: several,
    });
    expect(config.ORDERS_URL).toEqual({
      all: ['http://a:1', 'http://b:1'],
      byNetwork: new Map([['base-mainnet', ['http://c:1', 'http://d:1']]]),
    });
  });
});
