/** `npm run stack`, as documented, and what people do with its portal. */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { startProviders, type Providers } from '@hindsight/portal/test/support/providers.ts';
import { withLongWaits } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import { describeJourneys } from '../browser/journeys.contract.ts';
import { runAdminByNpm, runAgain } from '../support/admin.ts';
import { runAdminAgain } from '../support/admin-here.ts';
import type { Installation } from '../support/browser/installation.ts';
import { installationOf } from '../support/browser/stack.ts';
import { describeInBrowser, takeBrowserTurn, TURN_WITHIN_MS } from '../support/browser/suite.ts';
import { isAlive, RunningStack, type StackFile, startByHand, untilGone } from '../support/running-stack.ts';
import { freeStackPort } from '../support/stack-port.ts';
import { PATIENT } from '../support/machine.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PATH = `/v1/eth-mainnet/balance/single?token_address=${TOKENS.usdc.address}&holder=${HOLDERS.alice}`;
/** The promise is a second; a busy machine is given more. A gateway without an event would only notice after a minute. */
const WITHIN_MS = 600_000;
const PROMISED_MS = 1_000;
const MAX_ROUNDS = 40;

await describeOnServers('The stack', { env: process.env, own: ['kafka', 'mongodb', 'redis'] }, () => {
  let stack: RunningStack;
  let file: StackFile;
  let projects: ProjectRepository;
  let providers: Providers;
  let installation: Installation;
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  const parts = { clock: systemClock, ids: randomIds, lifecycle };

  let endTurn = (): void => undefined;

  beforeAll(async () => {
    // Before the stack is there, which would have nothing to do until then.
    endTurn = await takeBrowserTurn(process.env);
    providers = await startProviders();
    stack = new RunningStack(await freeStackPort(2), ['--gateways', '2'], {
      ...PATIENT,
      ...providers.settings,
    });
    await stack.untilReady();
    installation = installationOf(stack);
    file = stack.file();
    const { MONGODB_URL, SECRETS_KEY: secret } = file.env;
    const mongodbUrl = withLongWaits(MONGODB_URL);
    ({ projects } = await openProjects({ dataDir: '', mongodbUrl, secret }, parts));
  }, TURN_WITHIN_MS);

  afterAll(async () => {
    await lifecycle.shutdown('test');
    const pids = stack.pids();
    stack.signal('SIGKILL');
    await untilGone(pids);
    stack.remove();
    await providers?.close();
  });
  // By itself: others wait for it, also where the stack did not start or end.
  afterAll(() => endTurn());

  /** Like a client, it retries when a busy machine's stores were too slow to answer. */
  const askOne = async (url: string, key: string): Promise<number> => {
    for (const end = Date.now() + WITHIN_MS; ; await sleep(100)) {
      const response = await fetch(url + PATH, { headers: { 'x-api-key': key } });
      await response.arrayBuffer();
      if (response.status !== 503 || Date.now() > end) return response.status;
    }
  };
  const ask = (key: string): Promise<number[]> =>
    Promise.all(file.gateway.map(({ url }) => askOne(url, key)));

  /** Milliseconds until every gateway answers so. */
  async function answeredBy(key: string, status: number): Promise<number> {
    const begun = performance.now();
    while ((await ask(key)).some((answer) => answer !== status)) {
      if (performance.now() - begun > WITHIN_MS) throw new Error(`no ${status} on every gateway in time`);
      await sleep(20);
    }
    return performance.now() - begun;
  }

  it('lists every process and server in stack.json, readable by its owner only', () => {
    expect(statSync(join(stack.folder, 'stack.json')).mode & 0o777).toBe(0o600);
    const { DATA_DIR: _, ...shared } = file.env;
    const running = {
      pid: expect.any(Number),
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      metrics: expect.stringMatching(/\/metrics$/),
      env: expect.objectContaining({ ...shared, PORT: expect.stringMatching(/^\d+$/) }),
    };
    const server = { pid: expect.any(Number) };
    expect(file).toMatchObject({
      gateway: [running, running],
      balance: [running],
      tokens: expect.any(Array),
      holders: [running],
      orders: expect.any(Array),
      metering: expect.any(Array),
      portal: expect.any(Array),
      servers: {
        kafka: { ...server, brokers: file.env.KAFKA_BROKERS },
        redis: { ...server, url: file.env.REDIS_URL },
        mongodb: { ...server, url: file.env.MONGODB_URL },
      },
      node: { ...server, url: expect.stringMatching(/^http:/) },
    });
    const first = Number(file.gateway[0]?.env.PORT);
    expect(file.gateway.map(({ env }) => Number(env.PORT))).toEqual([first, first + 1]);
    const pids = [file.gateway, file.balance, Object.values(file.servers), [file.node]]
      .flat()
      .map(({ pid }) => pid ?? 0);
    expect(pids.filter((pid) => !isAlive(pid))).toEqual([]);
    expect(new Set(pids).size).toBe(pids.length);
  });

  it('reports when it is ready, with a demo key that works as printed', async () => {
    const [, key = ''] = /demo key\s+(\S+)/.exec(stack.output) ?? [];
    expect(await ask(key)).toEqual([200, 200]);
    expect(stack.output.match(/^ {2}curl .*$/gm)).toHaveLength(3);
  });

  it('passes the settings of GitHub and Google on to its portal', async () => {
    const page = await (await fetch(`${installation.portal}/sign-in`)).text();
    expect(page).toContain('href="/sign-in/github?');
    expect(page).toContain('href="/sign-in/google?');
  });

  it('serves the tools for agents at each gateway', async () => {
    const [, key = ''] = /demo key\s+(\S+)/.exec(stack.output) ?? [];
    for (const { url } of file.gateway) {
      const client = new Client({ name: 'test', version: '1' });
      const requestInit = { headers: { 'x-api-key': key } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
      let content: unknown;
      // The demo key is slow, and so may a store be: the tool then says so in its text.
      await until('the tool answers', async () => {
        const answer = await client.callTool({ name: 'block_at', arguments: { at: '18000000' } });
        content = answer.structuredContent;
        return content !== undefined;
      });
      expect(content).toMatchObject({ block_number: 18_000_000, finalized: true });
      await client.close();
    }
  });

  it('has the holders of every token of the dev chain', async () => {
    const [, key = ''] = /demo key\s+(\S+)/.exec(stack.output) ?? [];
    const url = `${file.gateway[0]!.url}/v1/eth-mainnet/token/holders?token_address=${TOKENS.usdc.address}`;
    let lines: readonly string[] = [];
    // A list may begin before the index has all blocks, and says so.
    await until('the index is complete', async () => {
      const answer = await fetch(url, { headers: { 'x-api-key': key } });
      lines = (await answer.text()).trimEnd().split('\n');
      if (answer.status !== 200) return false;
      const { index } = JSON.parse(lines[0]!) as { readonly index: { readonly complete: boolean } };
      const { errors } = JSON.parse(lines.at(-1)!) as { readonly errors?: number };
      return index.complete && errors === 0;
    });
    const { sum, total_supply: supply } = JSON.parse(lines.at(-1)!) as Record<string, string>;
    expect(lines.length).toBeGreaterThan(20);
    expect(sum).toBe(supply);
  });

  it('has metrics in every process', async () => {
    for (const { metrics } of [...file.gateway, ...file.balance]) {
      const text = await (await fetch(metrics)).text();
      expect(text).toMatch(/^http_server_request_duration_count\{.*http_route="\/readyz"/m);
      expect(text).toMatch(/^v8js_memory_heap_used\{/m);
      expect(text).not.toContain('hs_');
    }
  });

  it('has each counter whose increase is an alert from the start on', async () => {
    const rules = readFileSync(join(ROOT, 'deploy/prometheus/rules/hindsight.yml'), 'utf8');
    const counters = [...rules.matchAll(/increase\((\w+)/g)].map(([, name]) => name!);
    const { gateway, holders, orders } = file;
    const texts = await Promise.all(
      [...gateway, ...holders, ...orders].map(async ({ metrics }) => (await fetch(metrics)).text()),
    );
    expect(counters.length).toBeGreaterThan(2);
    expect(counters.filter((name) => !new RegExp(`^${name}\\{`, 'm').test(texts.join('\n')))).toEqual([]);
  });

  it('drops a changed key on every gateway within a second', async () => {
    const { project, key } = await createProject({ projects, ...parts }, { name: 'test', plan: 'growth' });
    expect(await ask(key)).toEqual([200, 200]);
    const times: number[] = [];
    // A busy machine slows down some rounds, gateways that receive changes too late slow down all of them.
    for (let round = 0; round < 3 || (round < MAX_ROUNDS && Math.min(...times) > PROMISED_MS); round++) {
      await projects.suspend(project.id);
      times.push(await answeredBy(key, 403));
      await projects.resume(project.id);
      times.push(await answeredBy(key, 200));
    }
    const rotated = await projects.rotate(project.id, { graceMs: 0 });
    times.push(await answeredBy(key, 401));
    process.stdout.write(
      `seen by two gateways after: ${times.map((ms) => `${ms.toFixed()} ms`).join(', ')}\n`,
    );
    expect(await ask(rotated.key)).toEqual([200, 200]);
    expect(Math.min(...times)).toBeLessThan(PROMISED_MS);
  });

  it('is administered with the environment from stack.json', async () => {
    const admin = async (...words: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runAgain(() => runAdminByNpm(file.env, ...words));
      expect({ code, stderr }).toMatchObject({ code: 0 });
      return stdout;
    };
    const created = await admin('project', 'create', '--name', 'by hand', '--plan', 'free', '--json');
    const { project, key } = JSON.parse(created) as { project: string; key: string };
    expect(await ask(key)).toEqual([200, 200]);
    await admin('project', 'suspend', project);
    await answeredBy(key, 403);
    await until('the service of the index tells of its progress', async () =>
      (await admin('index', 'status', '--json')).includes('"track":"all"'),
    );
    const missing = await runAdminAgain(file.env, 'account', 'reset', 'nobody@example.org');
    expect(missing.stderr).toBe('error: nobody@example.org has no account\n');
  });

  describeInBrowser(
    'its portal',
    process.env,
    (browser) => describeJourneys(browser, () => installation),
    // The whole suite has it.
    () => Promise.resolve(() => undefined),
  );

  it('lets a service be restarted by hand from its own environment', async () => {
    const [, second] = file.gateway;
    process.kill(second!.pid, 'SIGKILL');
    expect(await untilGone([second!.pid])).toEqual([]);
    const again = await startByHand('gateway', second!);
    try {
      await until('the stack reports the end', () =>
        stack.output.includes('gateway-2 ended with signal SIGKILL'),
      );
    } finally {
      await again.end();
    }
  });

  it('ends everything at SIGTERM, and leaves no process behind', async () => {
    const pids = stack.pids();
    expect(pids.length).toBeGreaterThan(8);
    stack.signal('SIGTERM');
    expect(await stack.exited).toBe(0);
    expect(await untilGone(pids)).toEqual([]);
    expect(() => stack.file()).toThrow(/ENOENT/);
  });
});
