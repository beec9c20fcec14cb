/** Changes by the administration take effect at every gateway at once; it shows what the customer sees. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startKafka, type KafkaServer } from '@hindsight/tools/servers/kafka.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { startRedis, type RedisServer } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHEAP_PATH, Fleet } from '../support/gateway-fleet.ts';
import type { MadeProject } from '../support/metered-gateways.ts';
import { untilMonthLasts } from '../support/one-month.ts';
import { makeOrders } from '../support/orders/signed-orders.ts';
import { runService, type RunningService } from '../support/service-process.ts';

const GATEWAYS = 2;
const NO_NODE = 'http://127.0.0.1:9';
/** The promise is one second; a machine that runs other suites at the same time gets longer. */
const SEEN_WITHIN_MS = 600_000;
// Processes that meter share a group, also those of other suites, which know nothing of these projects.
const needs = { env: process.env, shared: ['mongodb'], own: ['kafka', 'redis'] } as const;

await describeOnServers('the administration', needs, ({ mongodb }) => {
  let kafka: KafkaServer;
  let redis: RedisServer;
  let orders: RunningService;
  let fleet: Fleet;

  beforeAll(async () => {
    await untilMonthLasts();
    [kafka, redis] = await Promise.all([startKafka(), startRedis()]);
    const mongodbUrl = withDatabase(mongodb.address, `plans-${randomUUID()}`);
    const servers = { mongodbUrl, brokers: kafka.brokers, redisUrl: redis.url };
    const own = { MONGODB_URL: mongodbUrl, KAFKA_BROKERS: kafka.brokers, ETH_RPC_URL: NO_NODE };
    orders = await runService('orders', own);
    fleet = await Fleet.start(servers, GATEWAYS, { ORDERS_URL: orders.url });
  });

  afterAll(async () => {
    await fleet?.stop();
    await orders?.end('SIGTERM');
    await Promise.all([kafka?.stop(), redis?.stop()]);
  });

  const create = async (): Promise<MadeProject> =>
    JSON.parse(
      await fleet.admin('project', 'create', '--name', 'p', '--plan', 'starter', '--json'),
    ) as MadeProject;
  /** Like a client, it retries when a busy machine's stores were too slow to answer. */
  const untilAnswered = async (request: () => Promise<Response>): Promise<Response> => {
    for (const end = Date.now() + SEEN_WITHIN_MS; ; await sleep(100)) {
      const response = await request();
      if (response.status !== 503 || Date.now() > end) return response;
    }
  };
  const ask = (key: string, url: string): Promise<Response> =>
    untilAnswered(() => fetch(url + CHEAP_PATH, { headers: { 'x-api-key': key } }));

  /** Waits until all gateways answer so. @returns the milliseconds it took */
  const untilAll = async (key: string, isSo: (answer: Response) => boolean): Promise<number> => {
    const begun = performance.now();
    for (;;) {
      const answers = await Promise.all(fleet.urls.map((url) => ask(key, url)));
      await Promise.all(answers.map((answer) => answer.text()));
      const took = performance.now() - begun;
      if (answers.every(isSo)) return took;
      if (took > SEEN_WITHIN_MS) throw new Error(`still ${answers.map(({ status }) => status).join(', ')}`);
      await sleep(20);
    }
  };
  const policyIs =
    (limit: number) =>
    ({ headers }: Response): boolean =>
      headers.get('ratelimit-policy')?.includes(`"month";q=${limit};`) === true;

  it('upgrades, downgrades, suspends, resumes and rotates, and all gateways follow', async () => {
    const { project, key } = await create();
    const took: Record<string, number> = {};
    await untilAll(key, ({ status }) => status === 200);
    await fleet.admin('project', 'set-plan', project, '--plan', 'growth');
    took.upgrade = await untilAll(key, policyIs(5_000_000));
    await fleet.admin('project', 'set-plan', project, '--plan', 'free');
    took.downgrade = await untilAll(key, policyIs(100_000));
    await fleet.admin('project', 'set-plan', project, '--plan', 'business');
    await untilAll(key, policyIs(25_000_000));
    await fleet.admin('project', 'suspend', project);
    took.suspend = await untilAll(key, ({ status }) => status === 403);
    await fleet.admin('project', 'resume', project);
    took.resume = await untilAll(key, ({ status }) => status === 200);
    const rotated = JSON.parse(
      await fleet.admin('project', 'rotate', project, '--grace', '0', '--json'),
    ) as MadeProject;
    took.rotate = await untilAll(key, ({ status }) => status === 401);
    took.newKey = await untilAll(rotated.key, ({ status }) => status === 200);
    const rounded = Object.entries(took).map(([change, ms]) => `${change} ${ms.toFixed()} ms`);
    process.stdout.write(`seen by two gateways after: ${rounded.join(', ')}\n`);
  });

  it('reopens a month that is used up with an upgrade, and closes one with a downgrade', async () => {
    const { project, key } = await fleet.createProject(3);
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await ask(key, fleet.urls[i % GATEWAYS]!)).status);
    expect(statuses.sort()).toEqual([200, 200, 200, 429, 429]);
    const setLimit = (limit: number): Promise<string> => {
      const limits = ['--monthly-limit', String(limit), '--rate', '1000'];
      return fleet.admin('project', 'set-plan', project, '--plan', 'enterprise', ...limits);
    };
    await setLimit(100_000);
    await untilAll(key, ({ status }) => status === 200);
    await setLimit(4);
    await untilAll(key, ({ status }) => status === 429);
  });

  it('shows the same requests and orders as the project sees', async () => {
    const { project, key } = await fleet.createProject(1_000);
    for (const order of makeOrders(3, 900)) {
      const response = await untilAnswered(() =>
        fetch(`${fleet.urls[0]}/v1/eth-mainnet/orders/dex-webhook`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: order.body,
        }),
      );
      expect(response.status).toBe(201);
    }
    for (let i = 0; i < 4; i++) expect((await ask(key, fleet.urls[i % GATEWAYS]!)).status).toBe(200);
    await fleet.settled(key, 7);
    const expected = {
      requests: { used: 7, limit: 1_000, remaining: 993 },
      orders: { received: 3 },
    };
    let reported: Partial<typeof expected> = {};
    for (const end = Date.now() + SEEN_WITHIN_MS; Date.now() < end; await sleep(200)) {
      const response = await fetch(`${fleet.urls[1]}/v1/usage`, { headers: { 'x-api-key': key } });
      reported = (await response.json()) as typeof reported;
      // From the ledger or from its copy: the one may have what the other does not have yet.
      if (reported.requests?.used === 7 && reported.orders?.received === 3) break;
    }
    expect(reported).toMatchObject(expected);
    const shown = JSON.parse(await fleet.admin('usage', 'show', project, '--json')) as {
      days: Record<string, Record<string, number>>;
    };
    expect(shown).toMatchObject({ requests: expected.requests, orders: 3 });
    // Of one day, or of two if midnight came in between.
    const counted: Record<string, number> = {};
    for (const [kind, count] of Object.values(shown.days).flatMap((day) => Object.entries(day)))
      counted[kind] = (counted[kind] ?? 0) + count;
    expect(counted).toEqual({ 'balance-single': 4, 'orders-dex-webhook': 3 });
  });
});
