/** Places for a key in a request, answers to invalid ones, and places where no key ever appears. */
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CodeOf } from '@hindsight/kernel/error-codes.ts';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { generateKey } from '@hindsight/projects/key.ts';
import { BALANCE, startWithProject } from './support/gateway-world.ts';

const logged: string[] = [];

const world = forAllTests(() => startWithProject({ logTo: logged }), 'close');

beforeEach(() => {
  world.service.received.length = 0;
  world.service.answer = (_request, response) => response.end('{"balance":"1"}');
});

const ask = (path: string, headers: Record<string, string> = { 'x-api-key': world.key }): Promise<Response> =>
  fetch(world.url + path, { headers });

describe('a key', () => {
  it('is taken from the header', async () => {
    expect((await ask(BALANCE)).status).toBe(200);
  });

  it('is taken from the query, and goes no further', async () => {
    expect((await ask(`${BALANCE}?a=1&projectId=${world.key}&b=%202`, {})).status).toBe(200);
    expect((await ask(`${BALANCE}?project%49d=${world.key}`, {})).status).toBe(200);
    expect(world.service.received.map(({ url }) => url)).toEqual([`${BALANCE}?a=1&b=%202`, BALANCE]);
  });

  it('in the header wins over one in the query, which is removed nevertheless', async () => {
    expect((await ask(`${BALANCE}?projectId=${generateKey()}`)).status).toBe(200);
    expect((await ask(`${BALANCE}?projectId=${world.key}`, { 'x-api-key': generateKey() })).status).toBe(401);
    expect(world.service.received.map(({ url }) => url)).toEqual([BALANCE]);
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
      message: expect.stringMatching(/^A valid API key is required/),
      error: 'Unauthorized',
      statusCode: 401,
      ...forMachines(code),
    });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'ApiKey']);
    expect(world.service.received).toEqual([]);
  });

  it('given twice in the query is a 400', async () => {
    const response = await ask(`${BALANCE}?projectId=${world.key}&projectId=${world.key}`, {});
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      400,
      'projectId: given more than once; expected once',
    ]);
  });

  it('never reaches a service, an answer or a log', async () => {
    world.service.answer = (request, response) =>
      response.end(JSON.stringify({ url: request.url, headers: request.headers }));
    const answers = [
      await ask(BALANCE),
      await ask(`${BALANCE}?projectId=${world.key}`, {}),
      await ask('/v1/nowhere'),
    ];
    world.service.answer = (_request, response) => response.destroy();
    answers.push(await ask(`${BALANCE}?projectId=${world.key}`, {}));
    for (const answer of answers)
      expect(JSON.stringify([...answer.headers]) + (await answer.text())).not.toContain(world.key);
    expect(JSON.stringify(world.service.received)).not.toContain(world.key);
    expect(logged.join('')).not.toContain(world.key);
  });
});
