/** Cost of requests: named by the service, bounded by the reservation, reported to the client, counted. */
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { BALANCE, PLENTY, startGatewayWorld } from './support/gateway-world.ts';

const BATCH = '/v1/eth-mainnet/balance/batch';
const LIST = '/v1/eth-mainnet/allowance/list';
/** The service's report on its answer. */
let answer: { status: number; units?: string };

const world = forAllTests(startGatewayWorld, 'close');
beforeEach(() => {
  world.service.received.length = 0;
  world.service.answer = (request, response) => {
    request.resume();
    request.on('end', () => {
      const { status, units } = answer;
      response.writeHead(status, units === undefined ? {} : { 'x-hindsight-units': units }).end('{}');
    });
  };
  answer = { status: 200 };
});

const ask = (key: string, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(world.url + path, { headers: { 'x-api-key': key }, ...init });
const batch = (key: string, bytes: number): Promise<Response> =>
  ask(key, BATCH, { method: 'POST', body: 'x'.repeat(bytes) });
const costOf = ({ headers }: Response): string | null => headers.get('x-units');

describe('an answer', () => {
  it.each<[names: string, status: number, units: string | undefined, bytes: number, cost: number]>([
    ['nothing', 200, undefined, 3_000, 1],
    ['its cost', 200, '7', 3_000, 7],
    ['more than was reserved', 200, '8', 900, 3],
    ['nothing that is a number', 200, '7e3', 3_000, 1],
    ['no cost at all', 200, '0', 3_000, 1],
    ['the cost of a refusal', 400, undefined, 3_000, 1],
    ['the cost of what is not counted', 503, '7', 3_000, 0],
    ['the cost of what is not counted', 304, '7', 3_000, 0],
  ])('that names %s (%d, %s): its client gets the cost, and it is counted', async (...expected) => {
    const [, status, units, bytes, cost] = expected;
    const { key, id } = await world.addProject(PLENTY);
    answer = { status, ...(units === undefined ? {} : { units }) };
    const answered = await batch(key, bytes);
    expect([answered.status, costOf(answered)]).toEqual([status, String(cost)]);
    expect(answered.headers.has('x-hindsight-units')).toBe(false);
    expect(answered.headers.get('ratelimit')).toContain(`"month";r=${PLENTY.monthlyLimit! - cost};`);
    expect(answered.headers.get('access-control-expose-headers')).toContain('X-Units');
    answer = { status: 200 };
    expect(costOf(await ask(key, BALANCE))).toBe('1');
    await until('both are sent', () => world.sentUnits(id) > cost);
    expect(world.sentUnits(id)).toBe(cost + 1);
  });

  it('is counted by its operation, asked by an alias too', async () => {
    const { key, id } = await world.addProject(PLENTY);
    for (const path of ['token', 'tokens', 'tokens/single', 'token/single'])
      expect((await ask(key, `/v1/eth-mainnet/${path}`)).status).toBe(200);
    await until('all are sent', () => world.sentUnits(id) === 4);
    expect(world.sentBy(id, 'endpoint')).toEqual({ token: 2, 'token-single': 2 });
  });

  it('is counted by its status; a seldom one as the first of its class', async () => {
    const { key, id } = await world.addProject(PLENTY);
    for (const status of [200, 404, 200, 418, 500]) {
      answer = { status };
      expect((await ask(key, BALANCE)).status).toBe(status);
    }
    await until('all are sent', () => world.sentUnits(id) >= 4);
    expect(world.sentBy(id, 'status')).toEqual({ 200: 2, 404: 1, 400: 1 });
  });

  it('that is the gateway’s own costs nothing', async () => {
    const { key } = await world.addProject(PLENTY);
    expect(costOf(await ask(key, '/v1/usage'))).toBe('0');
    expect(costOf(await ask(key, '/v1/usage?a=b'))).toBe('0');
    const demo = await world.addDemo();
    const refused = await ask(demo, '/v1/eth-mainnet/orders/dex-webhook', { method: 'POST', body: '{}' });
    expect([refused.status, costOf(refused)]).toEqual([403, '0']);
    world.service.answer = (_request, response) => response.destroy();
    const broken = await ask(key, BALANCE);
    expect([broken.status, costOf(broken)]).toEqual([503, '0']);
  });
});

describe('a limit that is nearly used up', () => {
  it('refuses what may cost more than is left, and says so; smaller requests go on to the last unit', async () => {
    const { key } = await world.addProject({ ...PLENTY, monthlyLimit: 8 });
    answer = { status: 200, units: '5' };
    expect(costOf(await ask(key, LIST))).toBe('5');
    const refused = await ask(key, LIST);
    expect([refused.status, costOf(refused)]).toEqual([429, '0']);
    expect(await refused.json()).toMatchObject({
      message: expect.stringMatching(
        /^Monthly limit exceeded: this request may cost 5 units, but only 3 of the 8 a month that the Enterprise plan allows are left; the next month begins at /,
      ),
      statusCode: 429,
      ...forMachines('month_exceeded'),
      cost: 5,
      left: 3,
    });
    expect(refused.headers.get('ratelimit')).toContain('"month";r=3;');
    answer = { status: 200, units: '2' };
    const smaller = await batch(key, 600);
    expect([smaller.status, costOf(smaller)]).toEqual([200, '2']);
    answer = { status: 200 };
    const last = await ask(key, BALANCE);
    expect([last.status, last.headers.get('ratelimit')]).toEqual([
      200,
      expect.stringContaining('"month";r=0;'),
    ]);
    const none = await ask(key, BALANCE);
    expect([none.status, await none.json()]).toEqual([429, expect.objectContaining({ cost: 1, left: 0 })]);
  });

  it('has again what a request did not cost', async () => {
    const { key } = await world.addProject({ ...PLENTY, monthlyLimit: 11 });
    for (let n = 0; n < 2; n++) expect(costOf(await batch(key, 3_000))).toBe('1');
    const refused = await batch(key, 3_000);
    expect([refused.status, await refused.json()]).toEqual([
      429,
      expect.objectContaining({ cost: 10, left: 9 }),
    ]);
    expect(costOf(await batch(key, 2_700))).toBe('1');
  });
});

describe('a body of many rows', () => {
  it('must declare its length, within its limit, and come uncompressed; a service sees no other', async () => {
    const { key } = await world.addProject(PLENTY);
    const post = (headers: Record<string, string>, body: RequestInit['body']): Promise<Response> =>
      ask(key, BATCH, {
        method: 'POST',
        headers: { 'x-api-key': key, ...headers },
        body: body ?? null,
        duplex: 'half',
      });
    const refusals = [
      await post({}, new Blob(['[]']).stream()),
      await post({ 'content-encoding': 'gzip' }, '[]'),
      await post({}, 'x'.repeat(1024 * 1024 + 1)),
    ];
    const seen = refusals.map(async (refused) => [
      refused.status,
      costOf(refused),
      ((await refused.json()) as { message: string }).message,
    ]);
    expect(await Promise.all(seen)).toEqual([
      [411, '0', 'content-length is required: send the length of the body, and not chunks'],
      [415, '0', 'content-encoding: expected none; send the body uncompressed'],
      [413, '0', 'body: it is larger than 1048576 bytes'],
    ]);
    expect(world.service.received).toEqual([]);
    expect((await post({ 'content-encoding': 'identity' }, 'x'.repeat(1024 * 1024))).status).toBe(200);
  });

  it('may be sent with the demo key, within its daily share of units', async () => {
    const demo = await world.addDemo();
    const answered = await ask(demo, BATCH, { method: 'POST', body: '[]' });
    expect([answered.status, costOf(answered)]).toEqual([200, '1']);
  });
});
