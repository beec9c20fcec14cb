/** The monthly limit over three gateways: exactly the limit, during any fault of Redis. */
import { expect, it } from '@jest/globals';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHEAP_PATH } from '../../support/gateway-fleet.ts';
import { hammer } from '../../support/hammer.ts';
import { untilAllAnswer, type World } from './world.ts';

const LIMIT = 1_000 * rounds(1);
const REQUESTS = 2 * LIMIT;
/** Longer than any process waits for Redis. */
const HANGS_MS = 3_000;

/** To be called in a `describe`. */
export function describeLimit(world: () => World): void {
  it('is admitted exactly by all together, counted exactly, and reported', async () => {
    const { fleet } = world();
    const { key } = await fleet.createProject(LIMIT);
    await expectLimit(key, () => undefined);
    // Like a client, it retries when a busy machine's stores were too slow to answer.
    let refused: Response;
    do refused = await fetch(fleet.urls[0]! + CHEAP_PATH, { headers: { 'x-api-key': key } });
    while (refused.status === 503);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      error: 'Too Many Requests',
      message: expect.stringMatching(
        new RegExp(`allows ${LIMIT} requests a month.*begins at \\d{4}-\\d\\d-01T00:00:00.000Z`),
      ),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit')).toMatch(/"month";r=0;t=\d+/);
  });

  it('is admitted exactly while Redis is emptied and hangs, which holds nothing up', async () => {
    const { fleet, redis } = world();
    const { key } = await fleet.createProject(LIMIT);
    const other = await fleet.createProject(LIMIT);
    await untilAllAnswer(fleet, other.key);
    const hurtRedis = async (): Promise<void> => {
      await flush(redis.url);
      await redis.pause();
      try {
        await Promise.all([sleep(HANGS_MS), untilAllAnswer(fleet, other.key)]);
      } finally {
        redis.resume();
      }
    };
    let hurt: Promise<void> | undefined;
    await expectLimit(key, (answers) => {
      if (answers >= LIMIT / 2) hurt ??= hurtRedis();
    });
    expect(hurt).toBeDefined();
    await hurt;
  });

  /** Sends twice as many requests as the project may. @param onAnswer called with the number of answers */
  async function expectLimit(key: string, onAnswer: (answers: number) => void): Promise<void> {
    const { fleet } = world();
    const load = { urls: fleet.urls, path: CHEAP_PATH, key, requests: REQUESTS, insist: true };
    const hammered = await hammer({ ...load, onAnswer });
    const counted = await fleet.settled(key, LIMIT);
    process.stdout.write(`limit ${LIMIT}: ${JSON.stringify({ ...hammered, counted })}\n`);
    expect(hammered).toMatchObject({ statuses: { 200: LIMIT, 429: REQUESTS - LIMIT }, cutOff: 0 });
    expect(counted).toBe(LIMIT);
  }
}

/** FLUSHALL, by the protocol's inline form. */
function flush(redisUrl: string): Promise<void> {
  const { hostname, port } = new URL(redisUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write('FLUSHALL\r\n'));
    socket.setTimeout(60_000, () => socket.destroy(new Error('Redis did not answer')));
    socket.once('error', reject);
    socket.once('data', (answer) => {
      socket.destroy();
      if (answer.toString().startsWith('+OK')) resolve();
      else reject(new Error(answer.toString()));
    });
  });
}
