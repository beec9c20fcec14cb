import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type RedisServer, startRedis } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { openRedis, RedisRefused, RedisUnreachable, type RedisStore } from '../src/redis.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const PATIENCE_MS = 60_000;
const TRIES = 50;

/** The error of a failing command, and how long it took. */
async function failureOf(command: () => Promise<unknown>): Promise<{ error: unknown; milliseconds: number }> {
  const begun = performance.now();
  const error: unknown = await command().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, milliseconds: performance.now() - begun };
}

const ping = (store: RedisStore) => failureOf(() => store.run((client) => client.ping()));
const untilAnswers = (store: RedisStore): Promise<void> =>
  until('Redis answers', async () => (await ping(store)).error === undefined);
/** From then on nothing is sent to the unresponsive server. */
const untilGivenUp = (store: RedisStore): Promise<void> =>
  until('the connection is dropped', async () => {
    const { error } = await ping(store);
    return error instanceof RedisUnreachable && !error.mayHaveRun;
  });

await describeOnServers('the Redis opener', { env: process.env, own: ['redis'] }, () => {
  let server: RedisServer;
  let lifecycle: Lifecycle;
  /** In production an answer has 100 ms; here only the tests about it use that limit. */
  let patient: RedisStore;
  let telemetry: Telemetry;
  let store: RedisStore;

  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    lifecycle = createLifecycle(logger);
    store = await openRedis({ url: server.url }, lifecycle, logger);
    telemetry = createTelemetry('test');
    const settings = { url: server.url, answerWithinMs: PATIENCE_MS, telemetry };
    patient = await openRedis(settings, lifecycle, logger);
    // Opening does not wait for the server for more than two seconds.
    await untilAnswers(patient);
  });
  afterEach(async () => {
    await lifecycle.shutdown('end of test');
    await telemetry.stop();
  });

  it('runs commands and reports that the server answers', async () => {
    await patient.run((client) => client.set('a', '1'));
    expect(await patient.run((client) => client.get('a'))).toBe('1');
    expect(await patient.check.check()).toBe('answers');
  });

  it('distinguishes a refusal from an outage', async () => {
    await patient.run((client) => client.set('text', 'x'));
    const refused = patient.run((client) => client.incr('text'));
    await expect(refused).rejects.toThrow(RedisRefused);
    await expect(refused).rejects.toThrow('not an integer');
    const measured =
      /^db_client_operation_duration_count\{db_system_name="redis",error_type="RedisRefused".*\} (\d+)$/m;
    expect(measured.exec(await telemetry.metricsText())?.[1]).toBe('1');
  });

  it('sends the source of a script once, then its hash, and the source again if the server has lost it', async () => {
    const add = patient.script({
      name: 'addTo',
      keys: 1,
      lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])",
    });
    const evals = async (): Promise<number> => {
      const stats = await patient.run((client) => client.info('commandstats'));
      return Number(/cmdstat_eval:calls=(\d+)/.exec(stats)?.[1] ?? 0);
    };
    const before = await evals();
    for (let n = 0; n < 20; n++) await add(['sum'], [2]);
    expect(await evals()).toBe(before + 1);
    await patient.run((client) => client.script('FLUSH'));
    expect(await add(['sum'], [2])).toBe(42);
    await expect(add(['text'], ['x'])).rejects.toThrow(RedisRefused);
  });

  it('fails within about 100 ms while the server is paused, then at once, and recovers', async () => {
    await untilAnswers(store);
    await server.pause();
    try {
      const first = await failureOf(() => store.run((client) => client.set('late', '1')));
      expect(first.error).toBeInstanceOf(RedisUnreachable);
      expect((first.error as RedisUnreachable).mayHaveRun).toBe(true);
      // The server does not answer until it is resumed.
      expect(first.milliseconds).toBeLessThan(60_000);
      await untilGivenUp(store);
      // A busy machine makes some of them slow; waiting for an answer would take 100 ms each time.
      let least = Infinity;
      for (let n = 0; n < TRIES && least >= 90; n++) {
        const later = await failureOf(() => store.run((client) => client.get('late')));
        expect(later.error).toBeInstanceOf(RedisUnreachable);
        expect((later.error as RedisUnreachable).mayHaveRun).toBe(false);
        least = Math.min(least, later.milliseconds);
      }
      expect(least).toBeLessThan(90);
      expect((await failureOf(() => store.check.check())).error).toBeInstanceOf(RedisUnreachable);
    } finally {
      server.resume();
    }
    await untilAnswers(store);
  });

  it('queues nothing while the server is unavailable: ten thousand commands fail immediately', async () => {
    await server.pause();
    try {
      await untilGivenUp(store);
      const begun = performance.now();
      const failures = await Promise.all(
        Array.from({ length: 10_000 }, () => failureOf(() => store.run((client) => client.incr('queued')))),
      );
      expect(performance.now() - begun).toBeLessThan(60_000);
      expect(failures.every(({ error }) => error instanceof RedisUnreachable)).toBe(true);
    } finally {
      server.resume();
    }
    await untilAnswers(store);
    await untilAnswers(patient);
    expect(await patient.run((client) => client.get('queued'))).toBeNull();
  });

  it('recovers after the server was killed and restarted', async () => {
    await server.kill();
    const { error, milliseconds } = await failureOf(() => store.run((client) => client.ping()));
    expect(error).toBeInstanceOf(RedisUnreachable);
    expect(milliseconds).toBeLessThan(60_000);
    await server.restart();
    await untilAnswers(store);
  });

  it('starts without the server, and connects once it is up', async () => {
    await server.kill();
    const early = createLifecycle(logger);
    const begun = performance.now();
    const waiting = await openRedis({ url: server.url }, early, logger);
    try {
      expect(performance.now() - begun).toBeLessThan(60_000);
      await expect(waiting.check.check()).rejects.toThrow(RedisUnreachable);
      await server.restart();
      await untilAnswers(waiting);
    } finally {
      await early.shutdown('end of test');
    }
  });
});
