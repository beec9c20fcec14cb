/** The monthly limit over three gateways on real servers: exactly the limit, whatever happens meanwhile. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withDatabase } from '@hindsight/deploy/servers/mongodb-database.ts';
import { startRedis, type RedisServer } from '@hindsight/deploy/servers/redis.ts';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHEAP_PATH, Fleet } from '../support/gateway-fleet.ts';
import { hammer, type Hammered } from '../support/hammer.ts';

const LIMIT = 5_000;
const REQUESTS = 10_000;
const CONNECTIONS = 64;
const needs = { env: process.env, shared: ['mongodb', 'kafka'], own: ['redis'] } as const;

await describeOnServers('three gateways', needs, ({ mongodb, kafka }) => {
  let redis: RedisServer;
  let fleet: Fleet;

  beforeAll(async () => {
    redis = await startRedis();
    const mongodbUrl = withDatabase(mongodb.address, `quota-${randomUUID()}`);
    fleet = await Fleet.start({ mongodbUrl, brokers: kafka.address, redisUrl: redis.url }, 3);
  }, 120_000);

  afterAll(async () => {
    await fleet?.stop();
    await redis?.stop();
  }, 60_000);

  /** `at` so many answers something happens; whatever it promises is waited for. */
  const attack = async (
    key: string,
    requests: number,
    at: number,
    happen: () => Promise<unknown>,
  ): Promise<Hammered> => {
    let happening: Promise<unknown> | undefined;
    const onAnswer = (answers: number): void => {
      if (answers >= at) happening ??= happen();
    };
    const options = { urls: fleet.urls, path: CHEAP_PATH, key, requests, connections: CONNECTIONS, onAnswer };
    const hammered = await hammer(options);
    await happening;
    return hammered;
  };
  const say = (what: string, numbers: object): void =>
    void process.stdout.write(`${what}: ${JSON.stringify(numbers)}\n`);

  it('admit exactly the limit together, count just that, and say so', async () => {
    const { key } = await fleet.createProject(LIMIT);
    const hammered = await attack(key, REQUESTS, REQUESTS, async () => undefined);
    const counted = await fleet.settled(key, LIMIT);
    say('limit 5,000 over three gateways', { ...hammered, counted });
    expect(hammered).toEqual({ statuses: { 200: LIMIT, 429: REQUESTS - LIMIT }, cutOff: 0 });
    expect(counted).toBe(LIMIT);
    const refused = await fetch(fleet.urls[0]! + CHEAP_PATH, { headers: { 'x-api-key': key } });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      error: 'Too Many Requests',
      message: expect.stringMatching(/allows 5000 requests a month.*begins at \d{4}-\d\d-01T00:00:00.000Z/),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit')).toMatch(/"month";r=0;t=\d+/);
  }, 120_000);

  it('admit exactly the limit while Redis is emptied', async () => {
    const { key } = await fleet.createProject(LIMIT);
    const hammered = await attack(key, REQUESTS, LIMIT / 2, () => flush(redis.url));
    const counted = await fleet.settled(key, LIMIT);
    say('Redis emptied in the middle', { ...hammered, counted });
    expect(hammered).toEqual({ statuses: { 200: LIMIT, 429: REQUESTS - LIMIT }, cutOff: 0 });
    expect(counted).toBe(LIMIT);
  }, 120_000);

  it('admit exactly the limit while Redis stands still for ten seconds', async () => {
    const { key } = await fleet.createProject(LIMIT);
    const hammered = await attack(key, REQUESTS, LIMIT / 2, async () => {
      await redis.pause();
      await sleep(10_000);
      redis.resume();
    });
    const counted = await fleet.settled(key, LIMIT);
    say('Redis paused for 10 s', { ...hammered, counted });
    expect(hammered).toEqual({ statuses: { 200: LIMIT, 429: REQUESTS - LIMIT }, cutOff: 0 });
    expect(counted).toBe(LIMIT);
  }, 120_000);

  it('never admit more when one is killed and started again; what it had not spent is used up to the limit', async () => {
    const { key } = await fleet.createProject(LIMIT);
    const first = await attack(key, REQUESTS, LIMIT / 4, () => fleet.gateways[0]!.killAndRestart());
    const meanwhile = first.statuses[200] ?? 0;
    expect(meanwhile).toBeLessThanOrEqual(LIMIT);
    // Closed by its next life, and reconciled by the metering.
    let answered = meanwhile;
    for (const end = Date.now() + 60_000; Date.now() < end; await sleep(500)) {
      const urls = fleet.urls;
      const { statuses } = await hammer({ urls, path: CHEAP_PATH, key, requests: 90, connections: 6 });
      answered += statuses[200] ?? 0;
      if (statuses[200] === undefined && (await fleet.used(key)) === LIMIT) break;
    }
    const counted = await fleet.settled(key, LIMIT);
    const cutOffAndCounted = counted - answered;
    say('one killed and restarted', { ...first, meanwhile, answered, counted, cutOffAndCounted });
    expect(counted).toBe(LIMIT);
    expect(answered).toBeLessThanOrEqual(LIMIT);
    // Counted and not answered: only requests that were under way at the one that was killed.
    expect(cutOffAndCounted).toBeLessThanOrEqual(Math.min(CONNECTIONS, first.cutOff));
  }, 180_000);

  it('share out the burst limit: together never twice the rate over any ten seconds', async () => {
    const rate = 20;
    const { key } = await fleet.createProject(1_000_000, rate);
    const end = Date.now() + 10_000;
    let admitted = 0;
    while (Date.now() < end) {
      const urls = fleet.urls;
      const { statuses } = await hammer({ urls, path: CHEAP_PATH, key, requests: 90, connections: 3 });
      admitted += statuses[200] ?? 0;
      await sleep(100);
    }
    expect(admitted).toBeGreaterThanOrEqual(rate * 10);
    expect(admitted).toBeLessThanOrEqual(rate * 20);
  }, 60_000);
});

/** FLUSHALL, by the protocol's inline form. */
function flush(redisUrl: string): Promise<void> {
  const { hostname, port } = new URL(redisUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write('FLUSHALL\r\n'));
    socket.setTimeout(5_000, () => socket.destroy(new Error('Redis did not answer')));
    socket.once('error', reject);
    socket.once('data', (answer) => {
      socket.destroy();
      if (answer.toString().startsWith('+OK')) resolve();
      else reject(new Error(answer.toString()));
    });
  });
}
