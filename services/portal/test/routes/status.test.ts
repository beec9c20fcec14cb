import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { openNode } from '@hindsight/chain/pool/open-node.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { createHttpServer, listen } from '@hindsight/http/server.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStatusReader } from '../../src/adapters/status-reader.ts';
import type { StatusModel } from '../../src/pages/status.ts';
import { addPublicPages } from '../../src/routes/public-pages.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const context = { clock: systemClock, mailbox: false, sessions: { current: () => Promise.resolve(null) } };
const showcase = { apiUrl: 'http://127.0.0.1:1', demoKey: 'key', example: { says: 'What?', path: '/v1' } };

describe('the status page', () => {
  let lifecycle: Lifecycle;
  let servers: Server[];
  let clock: { time: number; now: () => number };
  beforeEach(() => {
    lifecycle = createLifecycle(logger);
    servers = [];
    clock = { time: Date.UTC(2026, 10, 21), now: () => clock.time };
  });
  afterEach(async () => {
    await lifecycle.shutdown('end of test');
    for (const server of servers) server.close().closeAllConnections();
  });

  const chain = forAllTests(() => sharedDevchain(process.env), 'stop');

  /** A process with one fixed answer, and a count of its requests. */
  const processThat = async (answer: (() => string) | null) => {
    const asked = { times: 0 };
    const server = createServer((_request, response) => {
      asked.times += 1;
      if (answer !== null) response.writeHead(200, { 'content-type': 'application/json' }).end(answer());
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };

  const readyWith =
    (...parts: [name: string, ok: boolean, detail: string][]) =>
    (): string =>
      JSON.stringify({ status: 'ready', parts: parts.map(([name, ok, detail]) => ({ name, ok, detail })) });

  const pageOf = async (read: ReturnType<typeof createStatusReader>): Promise<string> => {
    const app = createHttpServer({ logger, lifecycle });
    addPublicPages(app, context, {
      showcase,
      networks: [ETH_MAINNET],
      readStatus: read,
      exampleAnswer: () => Promise.resolve(null),
    });
    const url = await listen(app, lifecycle, 'portal', { host: '127.0.0.1', port: 0 });
    const answer = await fetch(`${url}/status`);
    expect(answer.status).toBe(200);
    const page = await answer.text();
    // The same for programs, on any origin.
    const twin = await fetch(`${url}/status.json`);
    const { up, parts } = (await twin.json()) as { up: boolean; parts: { name: string }[] };
    expect(page.includes('All systems operational')).toBe(up);
    for (const { name } of parts) expect(page).toContain(name);
    expect(twin.headers.get('access-control-allow-origin')).toBe('*');
    return page;
  };

  /**
   * Reads again until it holds: on a busy machine a slow process counts as down. The page shows the same
   * reading.
   */
  const pageOnce = async (
    read: ReturnType<typeof createStatusReader>,
    isSo: (status: StatusModel) => boolean,
  ): Promise<string> => {
    await until('every process answers in time', async () => {
      clock.time += 2_000;
      return isSo(await read());
    });
    return pageOf(read);
  };

  /** True unless the first process was too slow. */
  const isReached = ({ parts }: StatusModel): boolean => parts[0]?.detail !== 'unreachable';

  it('shows every component, the head of the chain and how far it is finalized', async () => {
    const { url } = await processThat(
      readyWith(
        ['SQLite', true, 'answers'],
        ['ethereum node', true, 'head 18000150; node.internal.example: open at 18000150'],
        ['token index', true, 'following: block 18000086 of 18000086'],
      ),
    );
    const node = await openNode({ urls: [chain.url], timeoutMs: 5_000 }, ETH_MAINNET, { logger, lifecycle });
    const read = createStatusReader({ sources: [{ name: 'Gateway', url }], node, clock });
    const page = await pageOnce(read, ({ parts, head }) => head !== null && parts.length === 4);
    expect(page).toContain('All systems operational');
    expect(page).toMatch(/Gateway[\s\S]*Operational[\s\S]*responds in \d+ ms/);
    expect(page).toMatch(/Ethereum node[\s\S]*at block 18,000,150/);
    expect(page).toMatch(/Token index[\s\S]*up to date \(block 18,000,086\)/);
    expect(page).toContain(CHAIN.head.toLocaleString('en'));
    expect(page).toContain(`finalized up to block ${(CHAIN.head - 64).toLocaleString('en')}`);
    expect(page).not.toMatch(/internal\.example|SQLite/);
  });

  it('shows the parts of each network by its name', async () => {
    const { url } = await processThat(
      readyWith(
        ['ethereum node of base-mainnet', true, 'head 7; node.internal.example: open at 7'],
        ['ethereum node of my-chain', false, 'not reachable'],
        ['token index of my-chain', true, 'following: block 5 of 6'],
      ),
    );
    const read = createStatusReader({ sources: [{ name: 'Gateway', url }], node: undefined, clock });
    await pageOnce(read, isReached);
    const { parts } = await read();
    expect(parts.slice(1)).toEqual([
      { name: 'Ethereum node of base-mainnet', state: 'up', detail: 'at block 7' },
      { name: 'Ethereum node of my-chain', state: 'down', detail: 'not answering correctly' },
      { name: 'Token index of my-chain', state: 'up', detail: 'following: block 5 of 6' },
    ]);
  });

  it('shows what is down, without hosts and error texts', async () => {
    const { url } = await processThat(
      readyWith(
        ['MongoDB', false, 'MongoDB is not available: connect ECONNREFUSED db.internal.example:27017'],
        ['ethereum node', false, 'https://user:pass@node.internal.example failed'],
      ),
    );
    const gone = await processThat(readyWith());
    servers.pop()?.close();
    const sources = [
      { name: 'Gateway', url },
      { name: 'Tokens', url: gone.url },
    ];
    const read = createStatusReader({ sources, node: undefined, clock });
    const page = await pageOnce(read, isReached);
    expect(page).toContain('Some systems are down');
    expect(page).toMatch(/Gateway[\s\S]*Down[\s\S]*a dependency is down/);
    expect(page).toMatch(/Ethereum node[\s\S]*Down/);
    expect(page).toMatch(/Tokens[\s\S]*unreachable/);
    expect(page).not.toMatch(/internal\.example|pass|ECONN|MongoDB/);
  });

  it('does not wait for a process that hangs, answers nonsense or never ends its answer', async () => {
    const [silent, nonsense, endless] = [
      await processThat(null),
      await processThat(() => '<html>'),
      await processThat(() => `{"parts":[${'{},'.repeat(100_000)}`),
    ];
    const sources = [silent, nonsense, endless].map(({ url }, at) => ({ name: `Part ${at}`, url }));
    const { parts } = await createStatusReader({ sources, node: undefined, clock })();
    expect(parts).toEqual(sources.map(({ name }) => ({ name, state: 'down', detail: 'unreachable' })));
  });

  it('asks once for all readers within two seconds', async () => {
    const { url, asked } = await processThat(readyWith(['bus', true, 'answers']));
    const read = createStatusReader({ sources: [{ name: 'Gateway', url }], node: undefined, clock });
    await Promise.all(Array.from({ length: 50 }, () => read()));
    expect(asked.times).toBe(1);
    clock.time += 2_000;
    await read();
    expect(asked.times).toBe(2);
    // The clock is set back.
    clock.time -= 3_600_000;
    await read();
    expect(asked.times).toBe(3);
  });
});
