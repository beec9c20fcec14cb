/**
 * Mixed load on the stack for some minutes (`npm run bench soak MINUTES`): memory and handles of every process, the spool,
 * and how far the counters are behind the answers. What does not stay flat is a fault.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { lines, type Line } from './lines.ts';
import { residentMib } from './machine.ts';
import { makeKey } from './make-key.ts';
import { startScript } from './service-process.ts';

const MINUTES = 60;
const SAMPLES = 120;
const CONNECTIONS = 8;
/** Requests a second of all connections together: some of what the machine can do. */
const RATE = 200;
const PORT = 28_080;
const KINDS = ['gateway', 'balance', 'tokens', 'orders', 'metering', 'portal'] as const;
const ROOT = '/v1/eth-mainnet';
const RESULTS = join(import.meta.dirname, 'results');

interface Running {
  readonly pid: number;
  readonly url: string;
  readonly metrics: string;
}
type State = Readonly<Record<(typeof KINDS)[number], readonly Running[]>> & {
  readonly env: { readonly MONGODB_URL: string; readonly SECRETS_KEY: string };
};

/** Runs the benchmark, prints a line for each sample, and writes the plot. */
export async function run(): Promise<void> {
  const minutes = Number(process.argv[3] ?? MINUTES);
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-soak-'));
  const args = ['--port', String(PORT), '--dir', folder, '--gateways', '2'];
  const stack = await startScript('tools/stack/main.ts', args, { HOME: homedir() }, /everything is ready/);
  try {
    const state = JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8')) as State;
    const { MONGODB_URL: mongodbUrl, SECRETS_KEY: secret } = state.env;
    const key = await makeKey(folder, { mongodbUrl, secret });
    await soak(state, key, minutes * 60_000);
  } finally {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function soak(state: State, key: string, ms: number): Promise<void> {
  const load = { counted: 0, failed: 0, stopped: false };
  const pools = state.gateway.map(({ url }) => new Pool(url, { connections: CONNECTIONS }));
  const asking = Array.from({ length: CONNECTIONS }, (_, i) => ask(pools[i % pools.length]!, key, i, load));
  const samples: Sample[] = [];
  for (let n = 0; n < SAMPLES; n++) {
    await sleep(ms / SAMPLES);
    samples.push(await sample(state, key, load.counted, (ms / SAMPLES) * (n + 1)));
    console.log(JSON.stringify(samples.at(-1)));
  }
  load.stopped = true;
  await Promise.all(asking);
  await Promise.all(pools.map((pool) => pool.close()));
  console.log(`${load.counted.toLocaleString('en')} answers, ${load.failed} failures`);
  const names = Object.keys(samples[0]?.values ?? {});
  const drawn = names.map((name): Line => ({
    label: name,
    points: samples.map(({ atMs, values }) => [atMs / 60_000, values[name] ?? 0]),
  }));
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${new Date().toISOString().slice(0, 10)}-soak.svg`);
  writeFileSync(file, lines(drawn, `${ms / 60_000} minutes, ${RATE} requests/s`));
  console.log(`written: ${file}`);
}

/** One connection: balances that are new, balances that are known, pages, series. */
async function ask(
  pool: Pool,
  key: string,
  first: number,
  load: { counted: number; failed: number; stopped: boolean },
): Promise<void> {
  for (let n = first; !load.stopped; n += CONNECTIONS) {
    const begun = performance.now();
    try {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: pathOf(n),
        headers: { 'x-api-key': key },
      });
      await body.text();
      if (statusCode === 200) load.counted++;
      else load.failed++;
    } catch {
      load.failed++;
    }
    await sleep(Math.max((CONNECTIONS * 1_000) / RATE - (performance.now() - begun), 0));
  }
}

function pathOf(n: number): string {
  if (n % 10 === 3) return `${ROOT}/token?page=${1 + (n % 3)}`;
  if (n % 10 === 6) return `${ROOT}/block?block_height=${17_999_900 + (n % 100)}`;
  const holder = `0x${(n % 2 === 0 ? n : n % 50).toString(16).padStart(40, '1')}`;
  const at = `holder=${holder}&block_height=${17_999_880 + (n % 200)}`;
  return `${ROOT}/balance/single?token_address=${TOKENS.usdc.address}&${at}`;
}

interface Sample {
  readonly atMs: number;
  readonly values: Readonly<Record<string, number>>;
}

async function sample(state: State, key: string, counted: number, atMs: number): Promise<Sample> {
  const values: Record<string, number> = {};
  for (const kind of KINDS) {
    for (const [i, { pid }] of state[kind].entries()) {
      values[`${kind} ${i + 1}, MiB`] = Math.round(residentMib(pid));
      values[`${kind} ${i + 1}, handles`] = readdirSync(`/proc/${pid}/fd`).length;
    }
  }
  const [gateway] = state.gateway;
  const usage = await fetch(`${gateway?.url}/v1/usage`, { headers: { 'x-api-key': key } });
  const { requests } = (await usage.json()) as { requests: { used: number } };
  values['answers not counted yet'] = Math.max(counted - requests.used, 0);
  for (const { metrics } of state.gateway) {
    const text = await (await fetch(metrics)).text();
    const bytes = Number(/^hindsight_usage_spool_size\S* (\S+)/m.exec(text)?.[1] ?? 0);
    values['spool, KiB'] = (values['spool, KiB'] ?? 0) + Math.round(bytes / 1024);
  }
  return { atMs, values };
}
