/** Many balances at one block: a snapshot against raw single calls, and against multicalls of a bare client. */
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { balanceOfCall } from '@hindsight/chain/tokens/token-facts.ts';
import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { contest, type Contestant } from './contest.ts';
import { load, type LoadResult } from './load.ts';
import type { Results } from './results.ts';
import { startScript, startService, type ServiceProcess } from './service-process.ts';

const RAW_CONNECTIONS = 50;
const RAW_CALLS = 20_000;
const MANY_HOLDERS = 1_000_000;
const HEIGHT = 18_000_000;
const TOKEN = TOKENS.usdc.address;
const MIB = 1024 * 1024;

/** A holder that was not asked for before. */
const holder = (i: number): string => `0x${(0xabc_000_000 + i).toString(16).padStart(40, '1')}`;

/** Runs the benchmark. */
export async function run(results: Results): Promise<void> {
  const devchain = await startDevchain();
  const proxy = await startScript('tools/bench/processes/node-proxy.ts', [devchain.url, '0']);
  const service = await startService('balance', { ETH_RPC_URL: proxy.url });
  let asked = 0;
  const title = 'balances at one block';
  const snapshots: Contestant = {
    name: 'a snapshot',
    pid: service.pid,
    run: (holders) => snapshot(service, holders, (asked += holders) - holders),
  };
  const single = { name: `single eth_calls, ${RAW_CONNECTIONS} connections`, run: rawCalls(proxy) };
  await contest({ title: `${title}, few`, contestants: [single, snapshots], operations: RAW_CALLS }, results);
  const idle = rssOf(service);
  const memory = watch(service);
  const { perSecond } = await snapshots.run(MANY_HOLDERS);
  console.log(
    `a snapshot of ${MANY_HOLDERS.toLocaleString('en')} holders: ${Math.round(perSecond).toLocaleString('en')}/s`,
  );
  console.log(`its memory (RSS): ${idle.toFixed(0)} MiB before, ${memory.most().toFixed(0)} MiB at the most`);
  await service.stop();
  await proxy.stop();
  await devchain.stop();
}

function rawCalls({ url }: ServiceProcess): Contestant['run'] {
  return (requests) =>
    load({
      url,
      connections: RAW_CONNECTIONS,
      requests,
      request: (i) => {
        const { target: to, data } = balanceOfCall(TOKEN, holder(i));
        return rpc([{ to, data }, `0x${HEIGHT.toString(16)}`]);
      },
    });
}

function rpc(params: readonly unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params });
  return { method: 'POST' as const, path: '/', body, headers: { 'content-type': 'application/json' } };
}

/** @throws {Error} for an answer without its end, or with errors */
async function snapshot({ url }: ServiceProcess, holders: number, first: number): Promise<LoadResult> {
  const lines = function* (): Generator<Buffer> {
    for (let at = 0; at < holders; at += 1_000) {
      const count = Math.min(1_000, holders - at);
      yield Buffer.from(Array.from({ length: count }, (_, i) => `${holder(first + at + i)}\n`).join(''));
    }
  };
  const begun = performance.now();
  const { statusCode, body } = await request(
    `${url}/v1/eth-mainnet/balance/snapshot?token_address=${TOKEN}&block_height=${HEIGHT}`,
    {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'content-length': String(43 * holders) },
      body: Readable.from(lines()),
      bodyTimeout: 0,
    },
  );
  let last = '';
  for await (const part of body) last = (last + String(part)).slice(-500);
  const expected = `{"record":"end","holders":${holders},"errors":0,`;
  if (statusCode !== 200 || !last.includes(expected)) throw new Error(`answered ${statusCode}: ${last}`);
  return { perSecond: holders / ((performance.now() - begun) / 1_000), p50: 0, p99: 0 };
}

function rssOf({ pid }: ServiceProcess): number {
  return (Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) * 1024) / MIB;
}

function watch(service: ServiceProcess): { most: () => number } {
  let most = rssOf(service);
  const timer = setInterval(() => (most = Math.max(most, rssOf(service))), 500);
  return {
    most() {
      clearInterval(timer);
      return most;
    },
  };
}
