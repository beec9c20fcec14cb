/** One gateway of two workers: to its callers, its operator and the month's limit it is one process. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startKafka, type KafkaServer } from '@hindsight/tools/servers/kafka.ts';
import { startMongodb, type MongodbServer } from '@hindsight/tools/servers/mongodb.ts';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { startRedis, type RedisServer } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHEAP_PATH, Fleet } from '../support/gateway-fleet.ts';
import { hammer } from '../support/hammer.ts';

const LIMIT = 4_000;
const TEST_WITHIN_MS = 600_000;

await describeOnServers('workers', { env: process.env, own: ['kafka', 'mongodb', 'redis'] }, () => {
  let servers: { kafka: KafkaServer; mongodb: MongodbServer; redis: RedisServer };
  let fleet: Fleet;
  let metricsUrl: string;

  beforeAll(async () => {
    const [kafka, mongodb, redis] = await Promise.all([startKafka(), startMongodb(), startRedis()]);
    servers = { kafka, mongodb, redis };
    const addresses = { mongodbUrl: `${mongodb.url}/workers`, brokers: kafka.brokers, redisUrl: redis.url };
    const metricsPort = await freePort();
    metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    fleet = await Fleet.start(addresses, 1, { WORKERS: '2', METRICS_PORT: String(metricsPort) });
    await untilReady();
  }, TEST_WITHIN_MS);

  afterAll(async () => {
    await fleet?.stop();
    await Promise.all(Object.values(servers ?? {}).map((server) => server.stop()));
  });

  const workers = (): number[] =>
    execFileSync('ps', ['-o', 'pid=', '--ppid', String(fleet.gateways[0]!.pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/)
      .map(Number);
  const readiness = async (): Promise<string> =>
    fetch(`${fleet.urls[0]}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => `${response.status} ${await response.text()}`,
      () => '',
    );
  const untilReady = async (): Promise<void> => {
    while (!/^200 .*2 of 2 run/.test(await readiness())) await sleep(100);
  };

  it(
    'serve from one port; metrics are those of all',
    async () => {
      const { key } = await fleet.createProject(LIMIT);
      const { statuses } = await hammer({ urls: fleet.urls, path: CHEAP_PATH, key, requests: 500 });
      expect(statuses).toEqual({ 200: 500 });
      const metrics = await (await fetch(metricsUrl)).text();
      const counts = [
        ...metrics.matchAll(/^http_server_request_duration_\w*count\{.*worker="(\d)"\} (\d+)/gm),
      ];
      expect(new Set(counts.map(([, worker]) => worker))).toEqual(new Set(['1', '2']));
      expect(metrics.match(/^# TYPE http_server_request_duration\w* /gm)).toHaveLength(1);
    },
    TEST_WITHIN_MS,
  );

  it(
    'admit exactly the limit, and one that is killed is replaced; what the callers saw is counted',
    async () => {
      const { key } = await fleet.createProject(LIMIT);
      const [victim] = workers();
      let killed = false;
      const onAnswer = (answers: number): void => {
        if (killed || answers < LIMIT / 2) return;
        killed = true;
        process.kill(victim!, 'SIGKILL');
      };
      const load = { urls: fleet.urls, path: CHEAP_PATH, key, requests: 2 * LIMIT, insist: true };
      const { statuses, cutOff } = await hammer({ ...load, onAnswer });
      const answered = statuses[200]!;
      await untilReady();
      const counted = await fleet.settled(key, answered, TEST_WITHIN_MS / 2);
      process.stdout.write(`a worker killed: ${JSON.stringify({ statuses, cutOff, counted })}\n`);
      expect(answered).toBeLessThanOrEqual(LIMIT);
      expect(counted).toBeGreaterThanOrEqual(answered);
      expect(counted).toBeLessThanOrEqual(Math.min(answered + cutOff, LIMIT));
      expect(workers()).toHaveLength(2);
      expect(workers()).not.toContain(victim);
    },
    TEST_WITHIN_MS,
  );

  it(
    'end together on SIGTERM, and with a primary that is killed',
    async () => {
      const gateway = fleet.gateways[0]!;
      const ended = workers();
      await gateway.end('SIGTERM');
      for (const pid of ended) expect(() => process.kill(pid, 0)).toThrow();
      await gateway.start();
      await untilReady();
      const orphans = workers();
      await gateway.killAndRestart();
      await untilReady();
      const gone = (pid: number): boolean => {
        try {
          return process.kill(pid, 0) && false;
        } catch {
          return true;
        }
      };
      while (!orphans.every(gone)) await sleep(50);
      expect(workers()).toHaveLength(2);
    },
    TEST_WITHIN_MS,
  );
});
