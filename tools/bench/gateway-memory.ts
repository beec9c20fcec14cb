/** Memory of the gateway over many requests with many keys, some of them malformed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { generateKey } from '@hindsight/projects/key.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { leanLoad } from './lean-load.ts';
import { startScript, startService, type ServiceProcess } from './service-process.ts';

const KEYS = 100_000;
const REQUESTS = 1_000_000;
const EVERY = 100_000;
const CONNECTIONS = 64;
const SECRETS_KEY = 'a secret of the benchmark';
const PATH = '/v1/eth-mainnet/balance/single';
const REPORT_WITHIN_MS = 30_000;
const MIB = 1024 * 1024;

/** One request in this many has garbage for a key; another one a well-formed unknown key. */
const GARBAGE = 50;
const UNKNOWN = 100;

async function makeKeys(dataDir: string): Promise<string[]> {
  const lifecycle = createLifecycle(createLogger({ name: 'bench', level: 'silent' }));
  const platform = { clock: systemClock, ids: randomIds, lifecycle };
  const { projects } = await openProjects({ dataDir, secret: SECRETS_KEY }, platform);
  const keys: string[] = [];
  while (keys.length < KEYS) {
    const { key } = await createProject({ projects, ...platform }, { name: 'bench', plan: 'business' });
    keys.push(key);
  }
  await lifecycle.shutdown('the keys are made');
  return keys;
}

/** Keys in a fixed order, so that a cache that is too small for all of them has some hits. */
function requestOf(keys: readonly string[], i: number): string {
  let key = keys[(Math.imul(i, 0x9e3779b1) >>> 0) % keys.length] ?? '';
  if (i % GARBAGE === 1) key = `garbage-${i}`;
  if (i % UNKNOWN === 2) key = generateKey();
  // Each from a different address: clients that guess keys are throttled.
  const address = `10.${(i >>> 16) & 255}.${(i >>> 8) & 255}.${i & 255}`;
  return `GET ${PATH}?n=${i} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-forwarded-for: ${address}\r\nx-api-key: ${key}\r\n\r\n`;
}

/** Runs the benchmark and prints a line for every 100,000 requests. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  const keys = await makeKeys(folder);
  const service = await startScript('tools/bench/processes/small-answers.ts', []);
  const hook = new URL('processes/heap-report.ts', import.meta.url).href;
  const gateway = await startService('gateway', {
    BALANCE_URL: service.url,
    TOKENS_URL: service.url,
    ORDERS_URL: service.url,
    DATA_DIR: folder,
    SECRETS_KEY,
    TRUST_PROXY: '127.0.0.1',
    NODE_OPTIONS: `--expose-gc --import=${hook}`,
  });
  try {
    console.log(`${REQUESTS.toLocaleString('en')} requests with ${KEYS.toLocaleString('en')} keys\n`);
    await report(gateway, 0, {});
    for (let asked = 0; asked < REQUESTS; asked += EVERY) {
      const first = asked;
      const statuses: Record<number, number> = {};
      await leanLoad({
        url: gateway.url,
        connections: CONNECTIONS,
        requests: EVERY,
        request: (i) => requestOf(keys, first + i),
        onStatus: (status) => (statuses[status] = (statuses[status] ?? 0) + 1),
      });
      await report(gateway, asked + EVERY, statuses);
    }
  } finally {
    await gateway.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function report(gateway: ServiceProcess, asked: number, statuses: object): Promise<void> {
  const said = gateway.waitFor(/^heap (\d+) rss (\d+)$/m, REPORT_WITHIN_MS);
  process.kill(gateway.pid, 'SIGUSR2');
  const [, heap = '', rss = ''] = await said;
  const inMib = (bytes: string): string => (Number(bytes) / MIB).toFixed(1).padStart(7);
  const line = `after ${asked.toLocaleString('en').padStart(9)}: heap ${inMib(heap)} MiB, process ${inMib(rss)} MiB`;
  console.log(`${line}  ${JSON.stringify(statuses)}`);
}
