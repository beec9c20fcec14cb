/** Places for a key in a request, answers to invalid ones, and places where no key ever appears. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CodeOf } from '@hindsight/kernel/error-codes.ts';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { generateKey } from '@hindsight/projects/key.ts';
import { BALANCE, PLENTY, startGatewayWorld, type GatewayWorld } from './support/gateway-world.ts';
import type { RecordingService } from './support/recording-service.ts';

const logged: string[] = [];
let world: GatewayWorld;
let service: RecordingService;
let key: string;

beforeAll(async () => {
  world = await startGatewayWorld({ logTo: logged });
  ({ service } = world);
  ({ key } = await world.addProject(PLENTY));
});

afterAll(() => world.close());

beforeEach(() => {
  service.received.length = 0;
  service.answer = (_request, response) => response.end('{"balance":"1"}');
});

const ask = (path: string, headers: Record<string, string> = { 'x-api-key': key }): Promise<Response> =>
  fetch(world.url + path, { headers });

describe('a key', () => {
  it('is taken from the header', async () => {
    expect((await ask(BALANCE)).status).toBe(200);
  });

  it('is taken from the query, and goes no further', async () => {
    expect((await ask(`${BALANCE}?a=1&projectId=${key}&b=%202`, {})).status).toBe(200);
    expect((await ask(`${BALANCE}?project%49d=${key}`, {})).status).toBe(200);
    expect(service.received.map(({ url }) => url)).toEqual([`${BALANCE}?a=1&b=%202`, BALANCE]);
  });

  it('in the header wins over one in the query, which is removed nevertheless', async () => {
    expect((await ask(`${BALANCE}?projectId=${generateKey()}`)).status).toBe(200);
    expect((await ask(`${BALANCE}?projectId=${key}`, { 'x-api-key': generateKey() })).status).toBe(401);
    expect(service.received.map(({ url }) => url)).toEqual([BALANCE]);
  });

  it.each<[what: string, path: string, headers: Record<string, string>, code: CodeOf<401>]>([
    ['missing', BALANCE, {}, 'key_missing'],
    ['empty', BALANCE, { 'x-api-key': '' }, 'key_missing'],
    ['empty in the query', `${BALANCE}?projectId=`, {}, 'key_missing'],
    ['malformed', BALANCE, { 'x-api-key': 'nonsense' }, 'key_invalid'],
    ['with a wrong checksum', BALANCE, { 'x-api-key': `hs_${'a'.repeat(30)}` }, 'key_invalid'],
    ['of 10 KB', BALANCE, { 'x-api-key': 'a'.repeat(10_000) }, 'key_invalid'],
    ['unknown', BALANCE, { 'x-api-key': generateKey() }, 'key_invalid'],
  ])('that is %s gets a 401 in the same words', async (_what, path, headers, code) => {
    const response = await ask(path, headers);
    expect(await response.json()).toEqual({
      message: expect.stringMatching(/^A valid project key is required/),
      error: 'Unauthorized',
      statusCode: 401,
      ...forMachines(code),
    });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'ApiKey']);
    expect(service.received).toEqual([]);
  });

  it('given twice in the query is a 400', async () => {
    const response = await ask(`${BALANCE}?projectId=${key}&projectId=${key}`, {});
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      400,
      'projectId: given more than once; expected once',
    ]);
  });

  it('never reaches a service, an answer or a log', async () => {
    service.answer = (request, response) =>
      response.end(JSON.stringify({ url: request.url, headers: request.headers }));
    const answers = [
      await ask(BALANCE),
      await ask(`${BALANCE}?projectId=${key}`, {}),
      await ask('/v1/nowhere'),
    ];
    service.answer = (_request, response) => response.destroy();
    answers.push(await ask(`${BALANCE}?projectId=${key}`, {}));
    for (const answer of answers)
      expect(JSON.stringify([...answer.headers]) + (await answer.text())).not.toContain(key);
    expect(JSON.stringify(service.received)).not.toContain(key);
    expect(logged.join('')).not.toContain(key);
  });
});
