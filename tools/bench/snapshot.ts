/** Many balances at one block: a snapshot against raw single calls, and against multicalls of a bare client. */
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { TODAYS_RULES } from '@hindsight/chain/networks.ts';
import type { RpcOutcome } from '@hindsight/chain/rpc/node.ts';
import { fromRpcError } from '@hindsight/chain/rpc/node-error.ts';
import {
  OVERRIDE,
  RETURN,
  REVERT,
  type Carrier,
  type CarrierName,
} from '@hindsight/chain/state/multicall/carriers/carrier.ts';
import { decodeMulticall, multicall, type CallItem } from '@hindsight/chain/state/multicall/multicall.ts';
import { balanceOfCall } from '@hindsight/chain/tokens/token-facts.ts';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { contest, type Contestant } from './contest.ts';
import { load, type LoadResult } from './load.ts';
import type { Results } from './results.ts';
import { mibOf, watchMemory } from './process-memory.ts';
import { startScript, startService, type ServiceProcess } from './service-process.ts';

const RAW_CONNECTIONS = 50;
const RAW_CALLS = 20_000;
/** A client's multicalls. */
interface Way {
  readonly carrier: Carrier;
  readonly balances: number;
  /** True if it reads holders from lines of text and writes rows, as every program about a file must. */
  readonly isWhole?: boolean;
}

/** Most balances in a call, by the dev chain's rules. */
const BY_CARRIER: readonly Way[] = [
  { carrier: REVERT, balances: 2_290 },
  { carrier: OVERRIDE, balances: 2_290 },
  { carrier: RETURN, balances: 597 },
];
const MULTICALL_CONNECTIONS = 4;
const HOLDERS = 200_000;
const MANY_HOLDERS = 1_000_000;
const HEIGHT = 18_000_000;
const TOKEN = TOKENS.usdc.address;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** A holder that was not asked for before. */
const holder = (i: number): string => `0x${(0xabc_000_000 + i).toString(16).padStart(40, '1')}`;

/** Runs the benchmark: by each carrier, then by the one that the service takes. */
export async function run(results: Results): Promise<void> {
  const devchain = await startDevchain();
  for (const way of BY_CARRIER) {
    const { proxy, snapshots, stop } = await startSnapshots(devchain.url, way.carrier.name);
    const name = `multicalls of ${way.balances}, bare client`;
    const client = { name, run: multicalls(proxy, way) };
    const whole = { name: 'the same from lines to rows', run: multicalls(proxy, { ...way, isWhole: true }) };
    const title = `balances at one block by ${way.carrier.name}`;
    await contest({ title, contestants: [client, whole, snapshots], operations: HOLDERS }, results);
    await stop();
  }
  const { proxy, service, snapshots, stop } = await startSnapshots(devchain.url);
  const single = { name: `single eth_calls, ${RAW_CONNECTIONS} connections`, run: rawCalls(proxy) };
  const title = 'balances at one block, few';
  await contest({ title, contestants: [single, snapshots], operations: RAW_CALLS }, results);
  const idle = mibOf(service);
  const memory = watchMemory(service);
  const { perSecond } = await snapshots.run(MANY_HOLDERS);
  console.log(
    `a snapshot of ${MANY_HOLDERS.toLocaleString('en')} holders: ${Math.round(perSecond).toLocaleString('en')}/s`,
  );
  console.log(`its memory (RSS): ${idle.toFixed(0)} MiB before, ${memory.most().toFixed(0)} MiB at the most`);
  memory.stop();
  await stop();
  await devchain.stop();
}

interface Snapshots {
  readonly proxy: ServiceProcess;
  readonly service: ServiceProcess;
  readonly snapshots: Contestant;
  readonly stop: () => Promise<void>;
}

/** A service before a node that has the named carrier only. */
async function startSnapshots(nodeUrl: string, only?: CarrierName): Promise<Snapshots> {
  const given = only === undefined ? [] : [only];
  const proxy = await startScript('tools/bench/processes/node-proxy.ts', [nodeUrl, '0', ...given]);
  const service = await startService('balance', { ETH_RPC_URL: proxy.url });
  let asked = 0;
  const snapshots: Contestant = {
    name: 'a snapshot',
    pid: service.pid,
    run: (holders) => snapshot(service, holders, (asked += holders) - holders),
  };
  const stop = async (): Promise<void> => {
    await service.stop();
    await proxy.stop();
  };
  return { proxy, service, snapshots, stop };
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

/**
 * The peer: it packs by hand, and reads the amounts out of the answers; it pins nothing, checks no checksum and no block.
 */
function multicalls({ url }: ServiceProcess, { carrier, balances, isWhole }: Way): Contestant['run'] {
  const holdersOf = isWhole ? readLines : addressesOf;
  return async (holders) => {
    const result = await load({
      url,
      connections: MULTICALL_CONNECTIONS,
      requests: Math.ceil(holders / balances),
      request: (i) => {
        const items = itemsOf(holdersOf(i, balances));
        const { run, params } = multicall(items, `0x${HEIGHT.toString(16)}`);
        return rpc(carrier.params(run!, params[1], TODAYS_RULES));
      },
      read: (text, i) => {
        const asked = addressesOf(i, balances);
        const amounts = amountsOf(carrier, text, itemsOf(asked));
        return isWhole ? writeRows(asked, amounts) : amounts;
      },
    });
    return { ...result, perSecond: result.perSecond * balances };
  };
}

function addressesOf(i: number, count: number): string[] {
  return Array.from({ length: count }, (_, k) => holder(i * count + k));
}

/** The same, from a part of a file. */
function readLines(i: number, count: number): string[] {
  const part = Buffer.from(addressesOf(i, count).join('\n'));
  return part
    .toString()
    .split('\n')
    .map((line) => {
      if (!ADDRESS.test(line)) throw new Error(`${line} is no address`);
      return line;
    });
}

function writeRows(holders: readonly string[], amounts: readonly string[]): Buffer {
  return Buffer.from(
    holders
      .map((one, k) => `${JSON.stringify({ line: k + 1, holder: one, balance: amounts[k] })}\n`)
      .join(''),
  );
}

function itemsOf(holders: readonly string[]): CallItem[] {
  // A cap as clients have it: out of reach, but all fit.
  return holders.map((one) => ({ ...balanceOfCall(TOKEN, one), gas: 40_000 }));
}

function amountsOf(carrier: Carrier, text: string, items: readonly CallItem[]): string[] {
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: unknown };
  const outcome: RpcOutcome = error === undefined ? { result } : { error: fromRpcError('node', error) };
  const { results } = decodeMulticall(carrier.answerIn(outcome), items);
  return results.map((one) => {
    if (one.status !== 'ok') throw new Error(`a balance was not read: ${one.status}`);
    return BigInt(`0x${one.data.toString('hex')}`).toString();
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
