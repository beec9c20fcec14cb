/**
 * `npm run stack` on servers of its operator that take TLS and passwords only. The MongoDB test server has no users: it
 * stands behind a door that speaks TLS.
 */
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { createKafkaBus } from '@hindsight/bus/kafka.ts';
import { ordersReceived } from '@hindsight/events/orders-received.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { makeCertificate } from '@hindsight/tools/servers/certificate.ts';
import { startKafka } from '@hindsight/tools/servers/kafka.ts';
import { startMongodb } from '@hindsight/tools/servers/mongodb.ts';
import { startRedis } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectTls, createServer, type Server } from 'node:tls';
import { runAdmin, runAgain } from '../support/admin.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts';
import { makeOrder } from '../support/orders/signed-orders.ts';
import { isAlive, RunningStack, untilGone } from '../support/running-stack.ts';
import { freeStackPort } from '../support/stack-port.ts';

const PASSWORD = 'hunter2 of the servers';
/** Longer than a start waits for MongoDB, which a busy machine may make slow: the stack tries again. */
const AWAY_MS = 14_000;
const BALANCE = `/v1/eth-mainnet/balance/single?token_address=${TOKENS.usdc.address}&holder=${HOLDERS.alice}&block_height=18000000`;
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const needs = { env: process.env, own: ['kafka', 'mongodb', 'redis'] } as const;

await describeOnServers('the stack on secured servers', needs, () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-secured-stack-'));
  const authority = join(folder, 'ca.pem');
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  let settings: Record<string, string>;
  let stack: RunningStack;
  let receiver: OtlpReceiver;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    ends.unshift(() => receiver.close());
    const certificate = await makeCertificate();
    writeFileSync(authority, certificate.cert);
    const user = { username: 'hindsight', password: PASSWORD };
    const [kafka, redisServer, mongodb] = await Promise.all([
      startKafka({ secured: { certificate, ...user } }),
      startRedis({ secured: { certificate, password: PASSWORD } }),
      startMongodb(),
    ]);
    for (const server of [kafka, redisServer, mongodb]) ends.unshift(() => server.stop());
    const door = await openDoor(certificate, Number(new URL(mongodb.url).port));
    ends.unshift(() => door.close());
    const redisHost = new URL(redisServer.url).host;
    settings = {
      KAFKA_BROKERS: kafka.securedBrokers,
      KAFKA_TLS: 'on',
      KAFKA_CA_FILE: authority,
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: user.username,
      KAFKA_SASL_PASSWORD: PASSWORD,
      REDIS_URL: `rediss://:${encodeURIComponent(PASSWORD)}@${redisHost}`,
      MONGODB_URL: `mongodb://127.0.0.1:${(door.address() as AddressInfo).port}/secured?tls=true`,
      SECRETS_KEY: randomUUID(),
      NODE_EXTRA_CA_CERTS: authority,
      ...receiver.env,
    };
    stack = new RunningStack(await freeStackPort(), ['--restart'], settings);
    ends.unshift(() => stack.stop());
    await stack.untilReady();
  });

  afterAll(async () => {
    for (const end of ends) await end();
  });

  /** By the protocol's inline form. */
  const keysInRedis = async (): Promise<number> => {
    const { port } = new URL(settings.REDIS_URL!);
    const socket = connectTls({ port: Number(port), host: '127.0.0.1', ca: readFileSync(authority) });
    socket.write(`AUTH "${PASSWORD}"\r\nDBSIZE\r\nQUIT\r\n`);
    return Number(/^:(\d+)/m.exec(await text(socket))?.[1]);
  };

  it('starts no server of its own', () => {
    const { servers, env } = stack.file();
    const { KAFKA_BROKERS: brokers, REDIS_URL, MONGODB_URL } = settings;
    expect(servers).toEqual({
      kafka: { pid: null, brokers },
      redis: { pid: null, url: REDIS_URL },
      mongodb: { pid: null, url: MONGODB_URL },
    });
    expect(env).toMatchObject({ KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_TLS: 'on' });
  });

  it('takes an order to its event, and answers a balance and the same again from its cache', async () => {
    const words = ['project', 'create', '--name', 'Ada', '--plan', 'growth', '--json'];
    const env = { ...stack.file().env, NODE_EXTRA_CA_CERTS: authority };
    const { stdout, stderr } = await runAgain(() => runAdmin(env, ...words));
    expect(stderr).not.toContain('hunter2');
    const { key } = JSON.parse(stdout) as { key: string };
    const url = stack.file().gateway[0]!.url;
    const traceparent = `00-${TRACE_ID}-b7ad6b7169203331-01`;
    const headers = { 'x-api-key': key, 'content-type': 'application/json', traceparent };

    const seen: string[] = [];
    const bus = createKafkaBus({
      topics: { 'orders.received': ordersReceived },
      brokers: [settings.KAFKA_BROKERS!],
      security: {
        tls: true,
        ca: readFileSync(authority, 'utf8'),
        sasl: { mechanism: 'plain', username: 'hindsight', password: PASSWORD },
      },
      logger: createLogger({ name: 'test', level: 'silent' }),
      clock: systemClock,
    });
    ends.unshift(() => bus.close());
    await bus.subscribe({ group: randomUUID(), topics: ['orders.received'] }, async (events) => {
      seen.push(...events.map(({ id }) => id));
    });
    const order = makeOrder(1n);
    const statuses: number[] = [];
    await until('the order is accepted', async () => {
      const path = '/v1/eth-mainnet/orders/dex-webhook';
      const response = await fetch(url + path, { method: 'POST', headers, body: order.body });
      statuses.push(response.status);
      return response.status === 201;
    });
    // A busy machine's answers may be too late for the sender; any other refusal would be a fault.
    expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
    await until('its event is on the topic', () => seen.includes(order.id));

    await until('a balance is answered, and kept in Redis', async () => {
      const response = await fetch(url + BALANCE, { headers });
      const body = (await response.json()) as { balance?: string };
      return response.status === 200 && body.balance !== undefined && (await keysInRedis()) > 0;
    });
    const used = async (): Promise<number> => {
      const response = await fetch(`${url}/v1/usage`, { headers });
      const { requests } = (await response.json()) as { requests?: { used: number } };
      return requests?.used ?? NaN;
    };
    await until('both are counted', async () => (await used()) >= 2);
  });

  it('traces the order through Kafka to the service that counts it', async () => {
    const names = (): string[] =>
      receiver.spans
        .filter(({ traceId }) => traceId === TRACE_ID)
        .map(({ service, name, attributes }) => `${service} ${name} ${attributes['messaging.system'] ?? ''}`);
    for (const name of ['orders send orders.received kafka', 'metering process orders.received kafka'])
      await until(`there is: ${name}`, () => names().includes(name));
    expect(receiver.text()).not.toMatch(/hunter2/);
  });

  it('has no password in its output or its logs', async () => {
    const logs = ['gateway-1', 'balance-1', 'orders-1', 'metering-1', 'tokens-1', 'portal-1'].map((name) =>
      readFileSync(join(stack.folder, 'logs', `${name}.log`), 'utf8'),
    );
    expect(logs.join('').length).toBeGreaterThan(0);
    expect(stack.output + logs.join('')).not.toMatch(/hunter2/);
  });

  it('starts a process again that dies', async () => {
    const { pid } = stack.file().balance[0]!;
    process.kill(pid, 'SIGKILL');
    const replacement = () => stack.file().balance[0]!.pid;
    await until('another is in its place', () => replacement() !== pid);
    expect(isAlive(replacement())).toBe(true);
  });

  it('takes everything it has started with it when it is killed', async () => {
    const pids = stack.pids().filter((pid) => pid !== stack.pid);
    expect(pids.length).toBeGreaterThan(7);
    for (const pid of [...pids.filter(isStack), stack.pid]) process.kill(pid, 'SIGKILL');
    expect(await untilGone(pids)).toEqual([]);
  });
});

/** The process that runs the stack, below npm. */
function isStack(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('tools/stack/main.ts');
}

/** TLS in front of a server on loopback; it closes its first connections at once. */
async function openDoor(
  { cert, key }: { readonly cert: string; readonly key: string },
  port: number,
): Promise<Server> {
  let opensAt: number | undefined;
  const door = createServer({ cert, key }, (socket) => {
    opensAt ??= performance.now() + AWAY_MS;
    if (performance.now() < opensAt) socket.destroy();
    else pipeline(socket, connect(port, '127.0.0.1'), socket, () => undefined);
  });
  door.on('tlsClientError', () => undefined);
  await once(door.listen(0, '127.0.0.1'), 'listening');
  return door;
}
