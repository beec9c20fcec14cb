import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type RedisServer, startRedis } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { Redis } from 'ioredis';
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

  const refused = (words: string) =>
    failureOf(() => patient.run((client) => client.eval(`return redis.error_reply('${words}')`, 0)));
  const connection = (): Promise<number> => patient.run((client) => (client as Redis).client('ID'));

  it.each([
    ...['LOADING', 'CLUSTERDOWN', 'TRYAGAIN', 'BUSY', 'NOREPLICAS'].map((code) => [code, false] as const),
    ...['READONLY', 'MASTERDOWN'].map((code) => [code, true] as const),
  ])('is unavailable while its server answers %s; connects again: %s', async (code, again) => {
    const before = await connection();
    const { error } = await refused(`${code} it does not serve`);
    expect(error).toBeInstanceOf(RedisUnreachable);
    expect((error as RedisUnreachable).mayHaveRun).toBe(false);
    await untilAnswers(patient);
    expect((await connection()) !== before).toBe(again);
    expect((await refused(`OTHER than ${code}`)).error).toBeInstanceOf(RedisRefused);
  });

  it('reports that a command did not run whose connection was just lost, or closed', async () => {
    const lost = await failureOf(() =>
      patient.run((client) => {
        (client as Redis).stream.destroy();
        return client.incr('never');
      }),
    );
    await lifecycle.shutdown('closed');
    await until('it has ended', () => patient.run(async ({ status }) => status === 'end'));
    const closed = await failureOf(() => patient.run((client) => client.incr('never')));
    for (const { error } of [lost, closed])
      expect(error).toMatchObject({ name: 'RedisUnreachable', mayHaveRun: false });
  });

  it('fails where one of several scripts does', async () => {
    await patient.run((client) => client.set('text', 'x'));
    const add = patient.scripts({
      name: 'addTo',
      keys: 1,
      lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])",
    });
    await patient.run((client) => client.del('count'));
    const count = [['count'], [2]] as const;
    expect(await add([count, count])).toEqual([2, 4]);
    await expect(add([count, [['text'], [2]], count])).rejects.toThrow(RedisRefused);
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

  it('recovers after the server was killed and restarted, and logs each of both once', async () => {
    const lines: string[] = [];
    const destination = {
      write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg),
    };
    const own = createLogger({ name: 'test', level: 'info', destination });
    // Patient: an answer that is late is no outage.
    store = await openRedis({ url: server.url, answerWithinMs: PATIENCE_MS }, lifecycle, own);
    await untilAnswers(store);
    lines.length = 0;
    let attempts = 0;
    await store.run(async (client) => client.on('reconnecting', () => (attempts += 1)));
    for (let times = 1; times <= 2; times++) {
      await server.kill();
      const { error, milliseconds } = await failureOf(() => store.run((client) => client.ping()));
      expect(error).toBeInstanceOf(RedisUnreachable);
      expect(milliseconds).toBeLessThan(60_000);
      const before = attempts;
      await until('it has failed to connect', () => attempts >= before + 3);
      await server.restart();
      await untilAnswers(store);
      expect(lines.splice(0)).toEqual(['Redis is unavailable', 'Redis is back']);
    }
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
