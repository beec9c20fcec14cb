/** Gateways that are stopped while clients ask: no connection is cut, and a deploy behind a balancer refuses nothing. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import type { ProjectWithKey } from '@hindsight/projects/ports.ts';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadyBackends } from '../support/ready-backends.ts';
import { runService, type RunningService } from '../support/service-process.ts';

const PATH = '/v1/eth-mainnet/balance/single';
const CONNECTIONS = 20;
const SECRET = 'a secret of some length';
/** Longer than any machine takes: each test ends the drain itself, by SIGINT. */
const SETTINGS = { SECRETS_KEY: SECRET, DRAIN_MS: '200000' };

const root = mkdtempSync(join(tmpdir(), 'hindsight-drain-'));
const folders = ['a', 'b'].map((name) => join(root, name));
let service: Server;
let settings: Record<string, string>;
let key: string;

beforeAll(async () => {
  service = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  settings = { ...SETTINGS, BALANCE_URL: url, TOKENS_URL: url, ORDERS_URL: url };
  key = await sameProjectIn(folders);
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
  rmSync(root, { recursive: true });
});

/** The same project in each of the folders. @returns its key */
async function sameProjectIn([first = '', ...others]: readonly string[]): Promise<string> {
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const parts = { clock: systemClock, ids: randomIds, lifecycle };
  const open = async (dataDir: string) => (await openProjects({ dataDir, secret: SECRET }, parts)).projects;
  const terms = { name: 'test', plan: 'enterprise', monthlyLimit: 1_000_000, rate: 10_000 } as const;
  const made: ProjectWithKey = await createProject({ projects: await open(first), ...parts }, terms);
  for (const folder of others) await (await open(folder)).create(made);
  await lifecycle.shutdown('the project is made');
  return made.key;
}

const start = (folder: string, port = 0): Promise<RunningService> =>
  runService('gateway', { ...settings, DATA_DIR: folder, PORT: String(port) });

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** It came over a connection that was kept. */
  readonly isReused: boolean;
}

async function ask(url: string, agent: Agent): Promise<Answer> {
  const asked = request(url, { agent, headers: { 'x-api-key': key } });
  asked.end();
  const [answer] = (await once(asked, 'response')) as Parameters<NonNullable<Parameters<typeof request>[2]>>;
  answer.resume();
  await once(answer, 'end');
  return { status: answer.statusCode ?? 0, headers: answer.headers, isReused: asked.reusedSocket };
}

describe('a gateway that gets SIGTERM', () => {
  it('answers on every kept connection, and asks its client to leave; new ones are answered, too', async () => {
    const gateway = await start(folders[0]!);
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const askAll = (): Promise<Answer[]> =>
      Promise.all(Array.from({ length: CONNECTIONS }, () => ask(gateway.url + PATH, agent)));
    for (const { status, headers } of await askAll())
      expect([status, headers.connection]).toEqual([200, 'keep-alive']);
    const ended = gateway.end('SIGTERM');
    await until('it drains', () => gateway.output().includes('shutting down'));
    for (const { status, headers, isReused } of await askAll())
      expect([status, headers.connection, isReused]).toEqual([200, 'close', true]);
    for (const { status, headers, isReused } of await askAll())
      expect([status, headers.connection, isReused]).toEqual([200, 'close', false]);
    const [readyz, livez] = [await fetch(`${gateway.url}/readyz`), await fetch(`${gateway.url}/livez`)];
    expect([readyz.status, livez.status]).toEqual([503, 200]);
    expect(await readyz.text()).toContain('shutting down');
    await gateway.end('SIGINT');
    expect(await ended).toBe(0);
  });
});

describe('a gateway whose broker takes connections and answers nothing', () => {
  it('ends with code 0, and its usage waits for the next start', async () => {
    const folder = join(root, 'silent');
    const ownKey = await sameProjectIn([folder]);
    const broker = createNetServer((socket) => void socket.on('error', () => undefined).resume());
    broker.listen(0, '127.0.0.1');
    await once(broker, 'listening');
    const brokers = `127.0.0.1:${(broker.address() as AddressInfo).port}`;
    const gateway = await runService('gateway', { ...settings, DATA_DIR: folder, KAFKA_BROKERS: brokers });
    const answered = await fetch(gateway.url + PATH, { headers: { 'x-api-key': ownKey } });
    expect(answered.status).toBe(200);
    const code = await gateway.end('SIGINT');
    broker.close();
    expect({ code, output: gateway.output() }).toMatchObject({ code: 0 });
    const next = await start(folder);
    await until('the usage is sent', () => next.output().includes('usage of a former instance was sent'));
    expect(await next.end('SIGINT')).toBe(0);
  });
});

const POLL_EVERY_MS = 20;
/** Of a client between two requests: some ask at each moment, and most of the time is not theirs. */
const PAUSE_MS = 25;

/** Sends requests in turn to the gateways that are ready, and repeats none. */
class Balancer {
  readonly #ready: ReadyBackends;
  readonly #end = new AbortController();
  readonly #agents = new Map<string, Agent>();
  readonly #underWay = new Map<string, number>();

  constructor(backends: readonly string[]) {
    for (const url of backends) this.#agents.set(url, new Agent({ keepAlive: true }));
    this.#ready = new ReadyBackends(backends, POLL_EVERY_MS, this.#end.signal);
  }

  isReady(url: string): boolean {
    return this.#ready.has(url);
  }

  /** It gets no more requests, and has answered all of its requests. */
  isDrained(url: string): boolean {
    return !this.#ready.has(url) && (this.#underWay.get(url) ?? 0) === 0;
  }

  /** Waits while none is ready: the one that is left may be too slow for a poll. */
  async pass(): Promise<number> {
    let url: string | undefined;
    await until('a gateway is ready', () => (url = this.#ready.next()) !== undefined);
    this.#count(url!, 1);
    try {
      return (await ask(url! + PATH, this.#agents.get(url!)!)).status;
    } finally {
      this.#count(url!, -1);
    }
  }

  stop(): void {
    this.#end.abort();
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #count(url: string, by: number): void {
    this.#underWay.set(url, (this.#underWay.get(url) ?? 0) + by);
  }
}

describe('gateways that are replaced one after another behind a balancer', () => {
  it('refuse no request, and cut no connection', async () => {
    const places = await Promise.all(folders.map(async (folder) => ({ folder, port: await freePort() })));
    const running = await Promise.all(places.map(({ folder, port }) => start(folder, port)));
    const urls = running.map(({ url }) => url);
    const balancer = new Balancer(urls);
    await until('both are ready', () => urls.every((url) => balancer.isReady(url)));
    const outcomes = new Map<string, number>();
    let asking = true;
    const clients = Array.from({ length: CONNECTIONS }, async () => {
      while (asking) {
        const outcome = await balancer
          .pass()
          .then(String, (error: NodeJS.ErrnoException) => error.code ?? '');
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        await sleep(PAUSE_MS);
      }
    });
    const answered = (): number => outcomes.get('200') ?? 0;
    for (const [index, { folder, port }] of places.entries()) {
      const url = urls[index]!;
      const before = answered();
      await until('clients are answered', () => answered() > before + 10 * CONNECTIONS);
      const ended = running[index]!.end('SIGTERM');
      await until('the balancer sees it', () => balancer.isDrained(url));
      await running[index]!.end('SIGINT');
      expect(await ended).toBe(0);
      running[index] = await start(folder, port);
      await until('the balancer sees the new one', () => balancer.isReady(url));
    }
    asking = false;
    await Promise.all(clients);
    balancer.stop();
    await Promise.all(running.map((gateway) => gateway.end('SIGINT')));
    expect([...outcomes.keys()]).toEqual(['200']);
  });
});
