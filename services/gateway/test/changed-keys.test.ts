/** Lifetime of a gateway's cached knowledge of a key. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { BALANCE, PLENTY, startGatewayWorld, type GatewayWorld } from './support/gateway-world.ts';

/** A gateway without a subscription asks again after this long. */
const UNHEARD_MS = 500;
const FRESH_MS = 60_000;

let world: GatewayWorld;
let time: number;

beforeEach(async () => {
  time = Date.UTC(2026, 10, 21, 12);
  world = await startGatewayWorld({ clock: { now: () => time } });
});

afterEach(() => world.close());

const ask = async (key: string): Promise<number> => {
  const response = await fetch(world.url + BALANCE, { headers: { 'x-api-key': key } });
  await response.text();
  return response.status;
};

describe('a key that a subscribed gateway has seen', () => {
  it('is not looked up again for a minute', async () => {
    const { key } = await world.addProject(PLENTY);
    await world.joined;
    for (const passed of [0, UNHEARD_MS, UNHEARD_MS, FRESH_MS - 2 * UNHEARD_MS - 1]) {
      time += passed;
      expect(await ask(key)).toBe(200);
    }
    expect(world.lookedUp).toEqual([key]);
    time += 1;
    expect(await ask(key)).toBe(200);
    expect(world.lookedUp).toEqual([key, key]);
  });

  it('is looked up again at once after a change of its project, and no other key is', async () => {
    const [changed, other] = [await world.addProject(PLENTY), await world.addProject(PLENTY)];
    await world.joined;
    await world.publishChanges();
    await until('both keys have been announced', () => world.heard.length === 2);
    for (const { key } of [changed, other]) expect(await ask(key)).toBe(200);
    await world.projects.suspend(changed.id);
    expect(await ask(changed.key)).toBe(200);
    await world.publishChanges();
    await until('the change has arrived', () => world.heard.includes('suspended'));
    expect([await ask(changed.key), await ask(other.key)]).toEqual([403, 200]);
    expect(world.lookedUp).toEqual([changed.key, other.key, changed.key]);
  });
});
