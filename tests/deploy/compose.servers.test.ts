/**
 * `docker compose up`, as docs/operations/compose.md has it, on a real engine: every process of the image; with a consumer
 * outside of the containers.
 */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Kafka, logLevel } from 'kafkajs';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { runAgainst } from '@hindsight/tools/docker/engine.ts';
import { describeOnEngine } from '@hindsight/tools/docker/suite.ts';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { SERVICES } from '@hindsight/tools/stack/services.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { HARDENED, lookInside } from './hardened.ts';
import { machineEnv } from '../support/machine.ts';
import { makeOrder } from '../support/orders/signed-orders.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Limit for hanging containers: a busy machine starts a dozen of them slowly. */
const BEGINS_WITHIN_MS = 1_800_000;
/** For one step, on a busy machine. */
const WITHIN_MS = 600_000;
const ORDERS = '/v1/eth-mainnet/orders/dex-webhook';
const BALANCE = `/v1/eth-mainnet/balance/single?${new URLSearchParams({
  token_address: TOKENS.usdc.address,
  holder: HOLDERS.treasury,
  block_height: '17999999',
}).toString()}`;

await describeOnEngine('docker compose', process.env, ({ compose: command, assembled, host, docker }) => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-compose-'));
  const envFile = join(folder, '.env');
  const project = `hindsight-compose-${process.pid}`;
  let port: number;
  let portalPort: number;
  let kafkaPort: number;
  let key: string;

  beforeAll(async () => {
    [port, portalPort, kafkaPort] = [await freePort(), await freePort(), await freePort()];
    const made = spawnSync(join(ROOT, 'deploy/create-env'), [envFile], {
      encoding: 'utf8',
      env: { ...machineEnv(), ETH_RPC_URL: 'http://devchain:8545' },
    });
    expect(made).toMatchObject({ status: 0 });
    appendFileSync(
      envFile,
      `COMPOSE_PROFILES=devchain
PORT=127.0.0.1:${port}
PORTAL_PORT=127.0.0.1:${portalPort}
KAFKA_OUTSIDE_PORT=${kafkaPort}
`,
    );
    if (assembled)
      process.stderr.write("\nMongoDB is its protocol's test server, without users: no real image here\n");
    await up();
  }, BEGINS_WITHIN_MS);

  afterAll(async () => {
    await compose('down', '--volumes', '--timeout', '2');
    rmSync(folder, { recursive: true });
  });

  function compose(...words: readonly string[]): Promise<string> {
    const files = [
      'docker-compose.yml',
      'deploy/compose/kafka-outside.yml',
      'tests/deploy/compose.quick.yml',
    ];
    if (assembled)
      files.push('tests/deploy/compose.assembled.yml', 'tests/deploy/compose.assembled-outside.yml');
    const args = ['--project-name', project, '--env-file', envFile];
    args.push(...files.flatMap((file) => ['--file', join(ROOT, file)]));
    return runAgainst({ host }, command, [...args, ...words], { cwd: ROOT });
  }

  /** The engine has the images already: `--build` is the image's own test. */
  async function up(): Promise<void> {
    try {
      await compose('up', '--detach', '--no-build', '--quiet-pull');
      await until('the gateway is ready', async () => (await get(port, '/readyz')) === 200);
      await until('the portal is ready', async () => (await get(portalPort, '/readyz')) === 200);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${await compose('logs', '--tail', '20')}`, {
        cause: error,
      });
    }
  }

  const get = (at: number, path: string): Promise<number | undefined> =>
    fetch(`http://127.0.0.1:${at}${path}`).then(
      (response) => response.status,
      () => undefined,
    );

  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    });

  /** Asks until the answer is not 503 or 504: the stores are slow at first, and clients ask again. */
  async function answered(path: string): Promise<unknown> {
    let answer: Response | undefined;
    await until(`${path} is answered`, async () => (answer = await ask(path)).status < 500, WITHIN_MS, 500);
    return answer?.json();
  }

  const setting = (name: string): string =>
    new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(envFile, 'utf8'))?.[1] ?? '';

  /** The container of each of this repository's processes. */
  async function containers(): Promise<ReadonlyMap<string, string>> {
    const format = '{{.Label "com.docker.compose.service"}} {{.ID}}';
    const filter = `label=com.docker.compose.project=${project}`;
    const lines = (await docker('ps', '--all', '--filter', filter, '--format', format)).split('\n');
    const all = new Map(lines.map((line) => line.split(' ') as [string, string]));
    return new Map(SERVICES.map(({ name }) => [name, all.get(name) ?? `no ${name}`]));
  }

  /** Output of the example consumer, run with these settings, until it has printed the order. */
  let first: string;

  /** The events that a consumer group gets, once these orders are among them. */
  async function consumed(orderIds: readonly string[], group: string): Promise<string[]> {
    const consumer = spawn(process.execPath, ['examples/consumer/consumer.js'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...machineEnv(),
        KAFKA_BROKERS: `127.0.0.1:${kafkaPort}`,
        KAFKA_USERNAME: 'consumer',
        KAFKA_PASSWORD: setting('KAFKA_CONSUMER_PASSWORD'),
        GROUP: group,
      },
    });
    let text = '';
    consumer.stdout.on('data', (chunk: Buffer) => (text += String(chunk)));
    try {
      await until('the orders are consumed', () => orderIds.every((id) => text.includes(id)));
      return text.trim().split('\n');
    } finally {
      consumer.kill('SIGKILL');
    }
  }

  it('lets the administration make a project, whose key gets a balance', async () => {
    const words = ['project', 'create', '--name', 'compose', '--plan', 'growth', '--json'];
    // MongoDB may be too slow at first, as the command then says.
    await untilItWorks('a project is made', async () => {
      const made = await compose('run', '--rm', '--no-TTY', 'admin', ...words);
      ({ key } = JSON.parse(made) as { key: string });
    });
    expect(await answered(BALANCE)).toMatchObject({ balance: '1250000000000' });
  });

  it('takes an order to its event, which a consumer outside reads', async () => {
    const order = makeOrder(1n);
    await until(
      'the order is accepted',
      async () => (await ask(ORDERS, { method: 'POST', body: order.body })).ok,
    );
    first = order.id;
    const lines = await consumed([first], 'consumer-first');
    expect(lines).toHaveLength(1);
  });

  it('gives that consumer nothing else', async () => {
    const outside = (options: { username: string; password: string }) =>
      new Kafka({
        brokers: [`127.0.0.1:${kafkaPort}`],
        sasl: { mechanism: 'plain', ...options },
        logLevel: logLevel.NOTHING,
        // Asked once, so that a slow broker has all the time to refuse.
        retry: { retries: 0 },
        connectionTimeout: WITHIN_MS,
        authenticationTimeout: WITHIN_MS,
        requestTimeout: WITHIN_MS,
      });
    const consumer = { username: 'consumer', password: setting('KAFKA_CONSUMER_PASSWORD') };
    const producer = outside(consumer).producer();
    await producer.connect();
    const forged = producer.send({ topic: 'orders.received', messages: [{ value: '{}' }] });
    await expect(forged).rejects.toThrow(/not authorized/i);
    await producer.disconnect();
    const greedy = outside(consumer).consumer({ groupId: 'metering' });
    await greedy.connect();
    await greedy.subscribe({ topics: ['orders.received'] });
    // kafkajs reports a group that it may not see as one without a coordinator.
    await expect(
      new Promise((resolve, reject) => {
        greedy.on(greedy.events.GROUP_JOIN, resolve);
        greedy.on(greedy.events.CRASH, ({ payload }) => reject(payload.error));
        void greedy.run({ eachMessage: () => Promise.resolve() }).catch(reject);
      }),
    ).rejects.toThrow(/not authorized|group coordinator/i);
    await greedy.disconnect();
    const stranger = outside({ username: 'hindsight', password: setting('KAFKA_PASSWORD') }).admin();
    await expect(stranger.connect()).rejects.toThrow(/authentication/i);
  });

  it('lets no process reach a server that it does not need, and no one without its password', async () => {
    const reach = async (from: string, server: string, at: number): Promise<string> => {
      const script = `fetch('http://${server}:${at}').catch((e) => console.log(e.cause?.code ?? 'reached'))`;
      let code = '';
      const look = async (): Promise<string> =>
        (code = await compose('exec', '--no-TTY', from, 'node', '-e', script));
      await until(
        `names are looked up for ${from}`,
        async () => (await look()) !== 'EAI_AGAIN',
        WITHIN_MS,
        500,
      );
      return code;
    };
    expect(await reach('balance', 'kafka', 9092)).toBe('ENOTFOUND');
    expect(await reach('balance', 'mongodb', 27017)).toBe('ENOTFOUND');
    expect(await reach('tokens', 'redis', 6379)).toBe('ENOTFOUND');
    expect(
      await compose('exec', '--no-TTY', '--env', 'REDISCLI_AUTH=', 'redis', 'redis-cli', 'ping'),
    ).toMatch(/NOAUTH/);
  });

  it('runs every process healthy, read-only, without privileges, and ready', async () => {
    for (const [name, id] of await containers()) {
      const health = () => docker('inspect', '--format', '{{.State.Health.Status}}', id);
      await until(`${name} is healthy`, async () => (await health()) === 'healthy', WITHIN_MS, 500);
      const is = await lookInside((script) => docker('exec', id, 'bash', '-c', script));
      expect({ name, is }).toEqual({ name, is: HARDENED });
    }
  });

  it('serves the portal', async () => {
    const page = await fetch(`http://127.0.0.1:${portalPort}/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>');
    expect(await get(portalPort, '/reference')).toBe(200);
  });

  const used = async (): Promise<{ requests: number; orders: number }> => {
    const answer = (await answered('/v1/usage')) as {
      requests: { used: number };
      orders: { received: number };
    };
    return { requests: answer.requests.used, orders: answer.orders.received };
  };

  it(
    'ends every process in order, and loses nothing by down and up',
    async () => {
      await until('balance and order are counted', async () => {
        const { requests, orders } = await used();
        return requests >= 2 && orders === 1;
      });
      const before = await used();
      // Each has the time that it needs: that the file gives enough is the image's own test.
      await compose('stop', '--timeout', String(WITHIN_MS / 1_000));
      for (const [name, id] of await containers()) {
        const code = await docker('inspect', '--format', '{{.State.ExitCode}}', id);
        const log = code === '0' ? '' : await docker('logs', '--tail', '50', id);
        // On a busy machine a part may be late, and the process says so. It would have been killed for not heeding SIGTERM: 137.
        const isLate = code === '1' && log.includes('it did not stop within');
        if (!isLate) expect({ name, code, log }).toEqual({ name, code: '0', log: '' });
      }
      await compose('down');
      await up();
      expect(await answered(BALANCE)).toMatchObject({ balance: '1250000000000' });
      await until('what was counted is still counted', async () => {
        const { requests, orders } = await used();
        return requests > before.requests && orders === 1;
      });
      const again = makeOrder(2n);
      await until(
        'the next order is accepted',
        async () => (await ask(ORDERS, { method: 'POST', body: again.body })).ok,
      );
      // A new group reads from the start: both events, each once.
      expect(await consumed([first, again.id], 'consumer-second')).toHaveLength(2);
    },
    BEGINS_WITHIN_MS,
  );
});
