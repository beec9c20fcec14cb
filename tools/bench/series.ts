/** A year of days in one request, against 365 single ones, through the gateway. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from './load.ts';
import { makeKey, SECRETS_KEY } from './make-key.ts';
import { startScript, startService, type ServiceProcess } from './service-process.ts';

const DAYS = 365;
const DAY = 86_400;
const FIRST_DAY = Date.parse('2022-01-01') / 1000;
const CONNECTIONS = [1, 10];
const LATENCY_MS = 20;
const ANSWER_WITHIN_MS = 10_000;

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
const holder = (i: number): string => `0x${(0xabc_000_000 + i).toString(16).padStart(40, '1')}`;

interface Series {
  readonly points: readonly { readonly block: number }[];
}

/** Runs the benchmark and prints its table. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  const key = await makeKey(folder);
  const headers = { 'x-api-key': key };
  const chain = await startScript('tools/bench/processes/long-chain.ts', [String(LATENCY_MS)]);
  const service = await startService('balance', { ETH_RPC_URL: chain.url });
  const urls = { BALANCE_URL: service.url, TOKENS_URL: service.url, ORDERS_URL: service.url };
  const gateway = await startService('gateway', { ...urls, DATA_DIR: folder, SECRETS_KEY });
  let used = 0;
  const upstream = async (): Promise<number> => {
    process.kill(chain.pid, 'SIGUSR2');
    const [, count = '0'] = await chain.waitFor(/\b(\d+) requests/, ANSWER_WITHIN_MS);
    const since = Number(count) - used;
    used = Number(count);
    return since;
  };
  const print = async (what: string, ms: number): Promise<void> => {
    console.log(
      `${what.padEnd(56)} ${ms.toFixed(0).padStart(7)} ms  ${await upstream()} requests at the node`,
    );
  };
  try {
    console.log(`${DAYS} days of ether, through the gateway; the node is ${LATENCY_MS} ms away\n`);
    const query = {
      token_address: 'native',
      from: iso(FIRST_DAY),
      to: iso(FIRST_DAY + (DAYS - 1) * DAY),
      step: '1d',
    };
    const series = async (i: number): Promise<{ ms: number; body: Series }> => {
      const text = new URLSearchParams({ ...query, holder: holder(i) }).toString();
      const begun = performance.now();
      const response = await fetch(`${gateway.url}/v1/eth-mainnet/balance/series?${text}`, { headers });
      const body = (await response.json()) as Series;
      if (body.points.length !== DAYS) throw new Error(`answered ${response.status}`);
      return { ms: performance.now() - begun, body };
    };
    await upstream();
    const cold = await series(0);
    await print('one series, nothing known', cold.ms);
    const warm = await series(1);
    await print('one series, the days known', warm.ms);
    for (const connections of CONNECTIONS) {
      const ms = await singles(gateway, headers, connections, cold.body);
      await print(`${DAYS} single calls by height, ${connections} at once`, ms);
      console.log(
        `${' '.repeat(58)}a series is ${(ms / warm.ms).toFixed(1)} times as fast, at first ${(ms / cold.ms).toFixed(1)} times`,
      );
    }
  } finally {
    await gateway.stop();
    await service.stop();
    await chain.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same points, one a request; their blocks are known already. @returns milliseconds */
async function singles(
  { url }: ServiceProcess,
  headers: Record<string, string>,
  connections: number,
  { points }: Series,
): Promise<number> {
  const begun = performance.now();
  await load({
    url,
    connections,
    requests: DAYS,
    request: (i) => {
      const query = `holder=${holder(10 + connections)}&block_height=${points[i]?.block}`;
      return { method: 'GET', path: `/v1/eth-mainnet/balance/native?${query}`, headers };
    },
  });
  return performance.now() - begun;
}
