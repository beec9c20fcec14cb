/** Chains of Etherscan's actions that are looked up in the list of networks. The actions: tests/e2e/etherscan.test.ts. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { errorBody } from '@hindsight/kernel/errors.ts';
import { PLENTY, startGatewayWorld, type GatewayWorld } from './support/gateway-world.ts';

const SERVED = { network_name: 'eth-mainnet', chain_id: 1 };
const DOWN = { network_name: 'my-chain', error: errorBody('node_unavailable', 'No node answers.') };

let world: GatewayWorld;
let key: string;
beforeEach(async () => {
  world = await startGatewayWorld();
  ({ key } = await world.addProject(PLENTY));
});
afterEach(() => world.close());

async function ask(chainid: string, closest = 'before') {
  const asked = { chainid, module: 'block', action: 'getblocknobytime', timestamp: '1', closest };
  const response = await fetch(
    `${world.url}/api?${new URLSearchParams({ ...asked, apikey: key }).toString()}`,
  );
  return [response.status, await response.json()];
}

describe('HEAD', () => {
  it('gets what GET does, without the body', async () => {
    const url = `${world.url}/api?apikey=${key}`;
    const [got, head] = [await fetch(url), await fetch(url, { method: 'HEAD' })];
    expect([head.status, await head.text()]).toEqual([got.status, '']);
    expect(head.headers.get('content-length')).toBe(String((await got.text()).length));
  });
});

describe('a key', () => {
  it.each(['%0d%0ax', '%00', '%E4%B8%AD'])(
    'with characters that no header takes (%s) is invalid',
    async (sent) => {
      const response = await fetch(
        `${world.url}/api?module=block&action=getblocknobytime&timestamp=1&closest=before&apikey=${sent}`,
      );
      const invalid = { status: '0', message: 'NOTOK', result: 'Invalid API Key' };
      expect([response.status, await response.json()]).toEqual([200, invalid]);
    },
  );

  it('may have blanks around it', async () => {
    world.service.answer = (_request, response) => response.end('{"block_number":7}');
    const own = key;
    key = ` ${own} `;
    expect(await ask('1')).toEqual([200, { status: '1', message: 'OK', result: '7' }]);
  });
});

/** Answers that there is no block for a date. */
function noneAt(response: ServerResponse): void {
  const none = errorBody('no_block_at_date', 'date: there is none.');
  response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(none));
}

describe('the first block at or after a time', () => {
  it.each([
    ['', (response: ServerResponse) => response.end('{"block_number":7}')],
    [', which is for the first block of all', noneAt],
  ])('is not denied where a limit stops the second question%s', async (_which, answer) => {
    ({ key } = await world.addProject({ ...PLENTY, monthlyLimit: 1 }));
    world.service.answer = (_request, response) => answer(response);
    const limit = { status: '0', message: 'NOTOK', result: expect.stringMatching(/^Max rate limit reached/) };
    expect(await ask('1', 'after')).toEqual([200, limit]);
  });

  const NONE = { status: '0', message: 'NOTOK', result: 'Error! No closest block found' };
  const FIRST = { status: '1', message: 'OK', result: '0' };
  const blockOf = (date: string) => [200, { block_number: 0, date }] as const;
  it.each([
    ['the first one of all, where the chain begins later', blockOf('2023-06-15T00:35:47.000Z'), FIRST],
    ['none, in the future', blockOf('1969-12-31T23:59:59.000Z'), NONE],
    [
      'none, where no node has that block',
      [502, errorBody('block_unavailable', 'It is not there.')] as const,
      NONE,
    ],
  ])('is %s', async (_what, [status, body], answer) => {
    world.service.answer = ({ url }, response) => {
      if (!url?.endsWith('block_height=0')) return noneAt(response);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    expect(await ask('1', 'after')).toEqual([200, answer]);
  });
});

describe('a chain id that is in no table', () => {
  it('is not called unsupported while a network without a known chain id is unavailable', async () => {
    world.service.answer = (_request, response) =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ networks: [SERVED, DOWN] }));
    const unavailable = { status: '0', message: 'NOTOK', result: 'Error! No node answers.' };
    expect(await ask('424242')).toEqual([503, unavailable]);
  });

  it('is unsupported where every network is known by its chain id', async () => {
    const { error } = DOWN;
    world.service.answer = (_request, response) =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ networks: [{ ...SERVED, error }] }));
    const result = 'Missing or unsupported chainid parameter; served: 1 (eth-mainnet)';
    expect(await ask('424242')).toEqual([200, { status: '0', message: 'NOTOK', result }]);
  });
});
