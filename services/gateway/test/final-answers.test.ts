/** Answers that can never change are remembered; whatever else a request asks for goes to its service. */
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { BALANCE, PLENTY, startWithProject } from './support/gateway-world.ts';
import type { RecordingService } from './support/recording-service.ts';

const FINAL = {
  'cache-control': 'private, max-age=31536000, immutable',
  vary: 'accept-encoding',
  etag: '"1"',
};

let asked = 0;
/** No test asks for what another did. */
let url: string;

const world = forAllTests(startWithProject, 'close');

const answerWith =
  (headers: Record<string, string>, body = '{"balance":"1"}', status = 200): RecordingService['answer'] =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };

beforeEach(() => {
  world.service.received.length = 0;
  world.service.answer = answerWith(FINAL);
  url = `${BALANCE}?holder=${(asked += 1)}`;
});

const ask = (headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> =>
  fetch(world.url + url, {
    headers: { 'x-api-key': world.key, 'accept-encoding': 'identity', ...headers },
    ...init,
  });

async function askTwice(headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
  await (await ask(headers, init)).text();
  return ask(headers, init);
}

describe('a final answer', () => {
  it('is forwarded once, and then the same but for what each answer has of its own', async () => {
    const first = await ask({ 'x-request-id': 'first' });
    const body = await first.text();
    const second = await ask({ 'x-request-id': 'second' });
    expect(await second.text()).toBe(body);
    expect(world.service.received).toHaveLength(1);
    const ofEach = ['x-request-id', 'date', 'ratelimit'];
    const others = (response: Response) =>
      Object.fromEntries([...response.headers].filter(([name]) => !ofEach.includes(name)));
    expect(others(second)).toEqual(others(first));
    expect(second.headers.get('etag')).toMatch(/^"1\.[\w-]{43}"$/);
    expect(second.headers.get('x-request-id')).toBe('second');
  });

  it('is forwarded again after ten minutes: a new version of its service may answer otherwise', async () => {
    await askTwice();
    expect(world.service.received).toHaveLength(1);
    const now = performance.now.bind(performance);
    const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 600_001);
    await (await ask()).text();
    later.mockRestore();
    expect(world.service.received).toHaveLength(2);
  });

  it('is counted and limited each time, at what its service said that it costs', async () => {
    const { key: few, id } = await world.addProject({ plan: 'enterprise', monthlyLimit: 10, rate: 1_000 });
    world.service.answer = answerWith({ ...FINAL, 'x-hindsight-units': '1' });
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await ask({ 'x-api-key': few })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
    expect(world.service.received).toHaveLength(1);
    await until('it is counted', () => world.sentUnits(id) === 10);
  });

  it('is given to another project of the same plan, which pays for it', async () => {
    const other = await world.addProject(PLENTY);
    await (await ask()).text();
    const response = await ask({ 'x-api-key': other.key });
    expect([response.status, response.headers.get('x-units')]).toEqual([200, '1']);
    expect(world.service.received).toHaveLength(1);
    await until('it is counted', () => world.sentUnits(other.id) === 1);
  });

  it('is not given to who may not ask', async () => {
    await (await ask()).text();
    expect((await ask({ 'x-api-key': 'a'.repeat(32) })).status).toBe(401);
  });

  it('is a 304, which is free, to a client that has it', async () => {
    const etag = (await ask()).headers.get('etag')!;
    world.service.answer = answerWith(FINAL, '', 304);
    const again = await ask({ 'if-none-match': etag });
    expect([again.status, again.headers.get('x-units')]).toEqual([304, '0']);
    expect(world.service.received).toHaveLength(2);
  });
});

describe('a request goes to its service', () => {
  const forwardedTwice = async (
    headers: Record<string, string> = {},
    init: RequestInit = {},
  ): Promise<void> => {
    await (await askTwice(headers, init)).text();
    expect(world.service.received).toHaveLength(2);
  };

  it.each([
    ['may still change', { 'cache-control': 'private, no-cache' }],
    ['does not say how long it holds', { 'cache-control': '' }],
    ['depends on more than the coding', { ...FINAL, vary: 'accept, accept-encoding' }],
  ])('where the answer %s', async (_name, headers) => {
    world.service.answer = answerWith(headers);
    await forwardedTwice();
  });

  it('where the answer is no success, however long it holds', async () => {
    world.service.answer = answerWith(FINAL, '{}', 404);
    await forwardedTwice();
  });

  it('where the answer is long', async () => {
    world.service.answer = answerWith(FINAL, 'x'.repeat(16 * 1024 + 1));
    await forwardedTwice();
  });

  it('for its head, and for a part', async () => {
    await forwardedTwice({}, { method: 'HEAD' });
    world.service.received.length = 0;
    await forwardedTwice({ range: 'bytes=0-1' });
  });

  it('for another coding, and from another plan', async () => {
    const { key: free } = await world.addProject({ plan: 'free' });
    await (await ask()).text();
    await (await ask({ 'accept-encoding': 'br' })).text();
    await (await ask({ 'x-api-key': free })).text();
    expect(world.service.received.map(({ headers }) => headers['x-hindsight-plan'])).toEqual([
      'enterprise',
      'enterprise',
      'free',
    ]);
  });
});
