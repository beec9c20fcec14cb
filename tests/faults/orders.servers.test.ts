/**
 * No order that was answered 201 is lost, and none counts twice, whichever process dies. `npm run bench
 * orders-faults` runs it in full size.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { untilMonthLasts } from '../support/one-month.ts';
import { FAULTS, runFault, tableOf, untilMetered, type FaultReport } from '../support/orders/fault-runs.ts';
import { hangUp } from '../support/orders/hang-up.ts';
import { makeManyOrders, makeOrder, type OrderToSend } from '../support/orders/signed-orders.ts';
import { watchTopic, type TopicWatch } from '../support/orders/topic-watch.ts';
import { startTopology, type Topology } from '../support/orders/topology.ts';

// As many as two cores have time for during other suites: an order that is not answered proves little.
const PER_SECOND = 40;
/** Those of five seconds: before a fault, during it, and after most of them. */
const ORDERS = 5 * PER_SECOND * rounds(1);
const TWICE = 25 * rounds(1);
/**
 * The bus's own suite restarts its broker; each run begins and ends without a fault. `npm run bench` runs
 * all.
 */
const ASKED = FAULTS.filter(({ name }) => !['none', 'Kafka restarted'].includes(name));
const SENDERS = 60 * rounds(1);
const TIMEOUT_MS = 900_000 + ORDERS * 50;

await describeOnServers(
  'orders under faults',
  { env: process.env, own: ['kafka', 'mongodb', 'toxiproxy'] },
  () => {
    let system: Topology;
    let watch: TopicWatch;
    const reports: FaultReport[] = [];

    beforeAll(async () => {
      await untilMonthLasts();
      system = await startTopology();
      watch = await watchTopic([system.kafka.brokers], 'fault-runs');
    });

    afterAll(async () => {
      process.stdout.write(`\n${tableOf(reports)}\n`);
      await watch?.close();
      await system?.stop();
    });

    describe('loses nothing and doubles nothing', () => {
      it.each(ASKED.map((fault, at) => [fault.name, fault, at] as const))(
        '%s',
        async (_, fault, at) => {
          const report = await runFault(fault, system, watch, {
            orders: await makeManyOrders(ORDERS, at + 1),
            perSecond: PER_SECOND,
            series: at + 1,
          });
          reports.push(report);
          expect(report.taken).toBeGreaterThan(0);
          expect(report.onTopic).toBe(report.taken);
          // Each order on the topic once, however often it was written.
          expect(report.metered).toBe(report.taken + report.beside);
        },
        TIMEOUT_MS,
      );
    });

    it(
      'publishes one event for an order that arrives twice at the same instant, over two gateways',
      async () => {
        const orders = Array.from({ length: TWICE }, (_, at) => makeOrder(10n ** 15n + BigInt(at)));
        for (const order of orders) {
          const answers = await Promise.all(system.gateways.map(({ url }) => untilTaken(url, order.body)));
          expect(answers.map(({ status }) => status)).toEqual([201, 201]);
          // A refused one may have been stored nevertheless; then both of these are duplicates.
          const refused = answers.some(({ refusals }) => refusals > 0);
          const news = answers.filter(({ duplicate }) => duplicate === false).length;
          expect(refused ? [0, 1] : [1]).toContain(news);
        }
        // One more at the end shows that everything before it has been published.
        const last = makeOrder(10n ** 15n + 1_000n);
        await untilTaken(system.gateways[0]!.url, last.body);
        await until('the last one is out', () => watch.written.has(last.id));
        await new Promise((resolve) => setTimeout(resolve, 500));
        // A slow relay may write it again, as the same event.
        expect(orders.map(({ id }) => new Set(watch.written.get(id)).size)).toEqual(orders.map(() => 1));
        // No event of the faults has been metered a second time either.
        expect(await untilMetered(system, watch)).toBe(watch.written.size);
      },
      TIMEOUT_MS,
    );

    it(
      'counts a request for every order whose sender hangs up within three milliseconds',
      async () => {
        const { key, project } = await system.newProject();
        const { url } = system.gateways[0]!;
        // From here on the gateway knows the project, and has units of it.
        let nonce = 10n ** 17n;
        const { refusals } = await untilTaken(url, makeOrder(nonce++).body, key);
        let waited = 1;
        const orders: OrderToSend[] = [];
        const stored = (): number => orders.filter(({ id }) => watch.written.has(id)).length;
        // A gateway that pauses for a moment meets senders that have left: it forwards none of their orders.
        while (stored() === 0) {
          const some = Array.from({ length: SENDERS }, () => makeOrder(nonce++));
          for (const [at, { body }] of some.entries()) await hangUp({ url, key, body, afterMs: at % 4 });
          orders.push(...some);
          const last = makeOrder(nonce++);
          await untilTaken(url, last.body, key);
          waited++;
          await until('the last one is out', () => watch.written.has(last.id));
        }
        const counted = async (): Promise<number[]> => {
          const { orders: received, requests } = await system.counted(project);
          return [received, requests];
        };
        // Orders whose senders waited are counted as well.
        await until('every stored order and its request are counted', async () =>
          (await counted()).every((count) => count === stored() + waited),
        );
        process.stdout.write(
          `hung up: ${JSON.stringify({ sent: orders.length, stored: stored(), refusals })}\n`,
        );
      },
      TIMEOUT_MS,
    );

    /** Repeats an order that was refused because its answer would have come too late. */
    async function untilTaken(url: string, body: string, key = system.key) {
      for (let refusals = 0; ; refusals++) {
        const answer = await post(url, body, key);
        if (answer.status !== 503) return { ...answer, refusals };
      }
    }

    async function post(
      url: string,
      body: string,
      key: string,
    ): Promise<{ status: number; duplicate: unknown }> {
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      const response = await fetch(`${url}/v1/eth-mainnet/orders/dex-webhook`, {
        method: 'POST',
        headers,
        body,
      });
      const { duplicate } = (await response.json()) as { duplicate: unknown };
      return { status: response.status, duplicate };
    }
  },
);
