/** Limits of the demo key, which is printed on a public page. */
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { DemoShare } from '../src/limits/demo-share.ts';
import { BALANCE, PLENTY, startGatewayWorld } from './support/gateway-world.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const DAILY = 2_000;
const SINGLES = 10;
/** A body of so many bytes may have a thousand rows. */
const BATCH = { path: '/v1/eth-mainnet/balance/batch', bytes: 3_000, units: 10 };
const WEBHOOK = '/v1/eth-mainnet/orders/dex-webhook';
const clock = { time: NOON, now: () => clock.time };
let demo: string;

const world = forAllTests(() => startGatewayWorld({ clock }), 'close');
beforeAll(async () => {
  demo = await world.addDemo();
});
const ask = (key: string, path = BALANCE, init: RequestInit = {}): Promise<Response> =>
  fetch(world.url + path, { headers: { 'x-api-key': key }, ...init });

describe('the demo key', () => {
  it('may not write: what it sends reaches no service', async () => {
    const refused = await ask(demo, WEBHOOK, { method: 'POST', body: '{}' });
    expect([refused.status, await refused.json()]).toEqual([
      403,
      {
        message: 'The demo key may only read; send orders with a key of your own.',
        error: 'Forbidden',
        statusCode: 403,
        ...forMachines('demo_read_only'),
      },
    ]);
    expect(world.service.received).toEqual([]);
    const { key } = await world.addProject(PLENTY);
    expect((await ask(key, WEBHOOK, { method: 'POST', body: '{}' })).status).toBe(200);
  });

  it('has a daily share per address, and a refusal names it', async () => {
    const spend = async (request: () => Promise<Response>): Promise<void> => {
      clock.time += 1_000;
      const answer = await request();
      await answer.text();
      expect(answer.status).toBe(200);
    };
    // All but some of it by requests of several units each.
    const { answer } = world.service;
    world.service.answer = (request, response) => {
      request.resume();
      request.on('end', () =>
        response.writeHead(200, { 'x-hindsight-units': String(BATCH.units) }).end('{}'),
      );
    };
    const batch = { method: 'POST', body: 'x'.repeat(BATCH.bytes) };
    for (let left = DAILY - SINGLES; left > 0; left -= BATCH.units)
      await spend(() => ask(demo, BATCH.path, batch));
    world.service.answer = answer;
    for (let asked = 0; asked < SINGLES; asked++) await spend(() => ask(demo));
    clock.time += 1_000;
    const refused = await ask(demo);
    expect([refused.status, await refused.json()]).toEqual([
      429,
      {
        message:
          'Daily limit exceeded: the demo key allows 2000 requests a day from one address; try again after 2026-11-22T00:00:00.000Z, or with a key of your own.',
        error: 'Too Many Requests',
        statusCode: 429,
        ...forMachines('demo_day_exceeded'),
      },
    ]);
    const midnight = Date.UTC(2026, 10, 22);
    expect(refused.headers.get('retry-after')).toBe(String((midnight - clock.time) / 1_000));
    expect(refused.headers.get('ratelimit')).toContain('"month";r=98000;');
    clock.time = midnight;
    expect((await ask(demo)).status).toBe(200);
  });
});

describe('the demo’s daily share', () => {
  it('is shared by all addresses of a /64; the next client has its own', () => {
    const share = new DemoShare({ now: () => NOON });
    const own = Array.from({ length: DAILY }, (_, i) => `2001:db8:1:2::${(i + 1).toString(16)}`);
    expect(own.filter((address) => share.take(address) === undefined)).toEqual([]);
    expect(share.take('2001:db8:1:2:ffff::1')).toBeUndefined();
    expect(share.leftOf('2001:db8:1:2:ffff::1')).toEqual({ left: 0, end: NOON + DAY_MS / 2 });
    expect(share.take('2001:db8:1:3::1')).toBeDefined();
    expect(share.take('192.0.2.1')).toBeDefined();
  });
});
