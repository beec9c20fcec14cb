/** The gateway, with key, exact quota, spool and forwarding, against a bare proxy without any of them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leanLoad } from './lean-load.ts';
import { makeKey, SECRETS_KEY } from './make-key.ts';
import { report, type LoadResult } from './load.ts';
import { startScript, startService, type ServiceProcess } from './service-process.ts';

const CONNECTIONS = 64;
const REQUESTS = 20_000;
const ROUNDS = 3;
const PATH = '/v1/eth-mainnet/balance/single?token_address=0x1&holder=0x2';
/** The kernel's clock ticks a second (USER_HZ). */
const TICKS = 100;

interface Measured extends LoadResult {
  /** Microseconds of processor time for each request. */
  readonly cpu: number;
}

function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

async function measure({ url, pid }: ServiceProcess, key: string, requests: number): Promise<Measured> {
  const before = cpuSeconds(pid);
  const request = `GET ${PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\nx-api-key: ${key}\r\n\r\n`;
  const result = await leanLoad({ url, requests, connections: CONNECTIONS, request: () => request });
  return { ...result, cpu: ((cpuSeconds(pid) - before) * 1e6) / requests };
}

const median = (runs: readonly Measured[]): Measured =>
  [...runs].sort((a, b) => a.cpu - b.cpu)[Math.floor(runs.length / 2)]!;

/** Runs the benchmark and prints its table. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  const key = await makeKey(folder);
  const service = await startScript('tools/bench/processes/small-answers.ts', []);
  const proxy = await startScript('tools/bench/processes/plain-proxy.ts', [service.url]);
  const urls = { BALANCE_URL: service.url, TOKENS_URL: service.url, ORDERS_URL: service.url };
  const gateway = await startService('gateway', { ...urls, DATA_DIR: folder, SECRETS_KEY });
  try {
    for (const { pid } of [proxy, gateway]) execFileSync('taskset', ['-apc', '0', String(pid)]);
    for (const pid of [service.pid, process.pid]) execFileSync('taskset', ['-apc', '1', String(pid)]);
    console.log(`${CONNECTIONS} connections, ${ROUNDS} rounds of ${REQUESTS} requests that take turns\n`);
    const runs = { proxy: [] as Measured[], gateway: [] as Measured[] };
    for (const one of [proxy, gateway]) await measure(one, key, 5_000);
    for (let round = 0; round < ROUNDS; round++) {
      runs.proxy.push(await measure(proxy, key, REQUESTS));
      runs.gateway.push(await measure(gateway, key, REQUESTS));
    }
    const [base, ours] = [median(runs.proxy), median(runs.gateway)];
    report('bare @fastify/http-proxy', base);
    report('gateway: key, quota, spool, forwarding', ours, base);
    const ratio = (base.cpu / ours.cpu).toFixed(2);
    console.log(
      `processor time a request: ${base.cpu.toFixed(0)} µs and ${ours.cpu.toFixed(0)} µs, ratio ${ratio}`,
    );
  } finally {
    await gateway.stop();
    await proxy.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
