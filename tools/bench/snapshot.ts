/** Many balances at one block: a snapshot against raw single calls, and against multicalls of a bare client. */
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { encodeMulticall } from '@hindsight/chain/state/multicall/multicall.ts';
import { balanceOfCall } from '@hindsight/chain/tokens/token-facts.ts';
import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { load } from './load.ts';
import { startScript, startService, type ServiceProcess } from './service-process.ts';

const RAW_CONNECTIONS = 50;
const RAW_CALLS = 20_000;
const PER_MULTICALL = 500;
const MULTICALL_CONNECTIONS = 4;
const HOLDERS = 200_000;
const MANY_HOLDERS = 1_000_000;
const HEIGHT = 18_000_000;
const TOKEN = TOKENS.usdc.address;
const MIB = 1024 * 1024;

/** A holder that was not asked for before. */
const holder = (i: number): string => `0x${(0xabc_000_000 + i).toString(16).padStart(40, '1')}`;

/** Prints balances a second, and what the rate is to others. */
function print(what: string, perSecond: number, others: Readonly<Record<string, number>> = {}): void {
  const ratios = Object.entries(others).map(([name, rate]) => `${(perSecond / rate).toFixed(2)} × ${name}`);
  const rate = `${Math.round(perSecond).toLocaleString('en')}/s`;
  console.log(`${what.padEnd(62)} ${rate.padStart(10)}  ${ratios.join(', ')}`);
}

/** Runs the benchmark and prints its table. */
export async function run(): Promise<void> {
  const devchain = await startDevchain();
  const proxy = await startScript('tools/bench/processes/node-proxy.ts', [devchain.url, '0']);
  const service = await startService('balance', { ETH_RPC_URL: proxy.url });
  const single = await rawCalls(proxy.url);
  print(`single eth_calls, ${RAW_CONNECTIONS} connections`, single);
  const peer = await multicalls(proxy.url);
  print(`multicalls of ${PER_MULTICALL}, bare client, ${MULTICALL_CONNECTIONS} connections`, peer, {
    single,
  });
  await snapshot(service, 10_000, 0);
  const rate = await snapshot(service, HOLDERS, 10_000);
  print(`a snapshot of ${HOLDERS.toLocaleString('en')} holders`, rate, { single, multicalls: peer });
  const idle = rssOf(service);
  const memory = watch(service);
  const many = await snapshot(service, MANY_HOLDERS, HOLDERS + 10_000);
  print(`a snapshot of ${MANY_HOLDERS.toLocaleString('en')} holders`, many, { single, multicalls: peer });
  console.log(`its memory (RSS): ${idle.toFixed(0)} MiB before, ${memory.most().toFixed(0)} MiB at the most`);
  await service.stop();
  await proxy.stop();
  await devchain.stop();
}

async function rawCalls(url: string): Promise<number> {
  const calls = (requests: number): ReturnType<typeof load> =>
    load({
      url,
      connections: RAW_CONNECTIONS,
      requests,
      request: (i) => {
        const { target: to, data } = balanceOfCall(TOKEN, holder(i));
        return rpc([{ to, data }, `0x${HEIGHT.toString(16)}`]);
      },
    });
  await calls(RAW_CALLS / 10);
  return (await calls(RAW_CALLS)).perSecond;
}

/** The answers are not decoded. */
async function multicalls(url: string): Promise<number> {
  const calls = (requests: number): ReturnType<typeof load> =>
    load({
      url,
      connections: MULTICALL_CONNECTIONS,
      requests,
      request: (i) => {
        const items = Array.from({ length: PER_MULTICALL }, (_, k) =>
          // A cap as clients have it: none to speak of, but they all fit.
          ({ ...balanceOfCall(TOKEN, holder(i * PER_MULTICALL + k)), gas: 40_000 }),
        );
        return rpc([{ data: encodeMulticall(items) }, `0x${HEIGHT.toString(16)}`]);
      },
    });
  await calls(20);
  return (await calls(HOLDERS / PER_MULTICALL)).perSecond * PER_MULTICALL;
}

function rpc(params: readonly unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params });
  return { method: 'POST' as const, path: '/', body, headers: { 'content-type': 'application/json' } };
}

/** @returns balances a second. @throws {Error} for an answer without its end, or with errors */
async function snapshot({ url }: ServiceProcess, holders: number, first: number): Promise<number> {
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
  return holders / ((performance.now() - begun) / 1_000);
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
