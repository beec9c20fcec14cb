/** Balances against raw `eth_call`s through the same node: the product's cost on top of the chain. */
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contest, type Contestant } from './contest.ts';
import { load, type Load } from './load.ts';
import { makeKey, SECRETS_KEY } from './make-key.ts';
import type { Results } from './results.ts';
import { startScript, startService, type ServiceProcess } from './service-process.ts';

const CONNECTIONS = 50;
const REQUESTS = 8_000;
const LATENCY_MS = 20;
const HEIGHT = 18_000_000;
const SPREAD_TOKENS = [TOKENS.usdc, TOKENS.usdt, TOKENS.uni, TOKENS.weth, TOKENS.mkr].map(
  ({ address }) => address,
);
const USDC = TOKENS.usdc.address;

/** A holder that was not asked for before. */
const holder = (i: number): string => `0x${(0xabc_000_000 + i).toString(16).padStart(40, '1')}`;

type At = (i: number) => [token: string, height: number];

function rawCalls({ url, pid }: ServiceProcess, at: At): Contestant {
  const request = (i: number): ReturnType<Load['request']> => {
    const [to, height] = at(i);
    const data = `0x70a08231${holder(i).slice(2).padStart(64, '0')}`;
    const params = [{ to, data }, `0x${height.toString(16)}`];
    const body = JSON.stringify({ jsonrpc: '2.0', id: i, method: 'eth_call', params });
    return { method: 'POST', path: '/', body, headers: { 'content-type': 'application/json' } };
  };
  const name = 'raw eth_call';
  return { name, pid, run: (requests) => load({ url, connections: CONNECTIONS, requests, request }) };
}

/** @param key for a gateway */
function balances({ url, pid }: ServiceProcess, at: At, key?: string): Contestant {
  let asked = 0;
  const request = (i: number): ReturnType<Load['request']> => {
    const [token, height] = at(i);
    const query = `token_address=${token}&holder=${holder(asked++)}&block_height=${height}`;
    const path = `/v1/eth-mainnet/balance/single?${query}`;
    return { method: 'GET', path, ...(key === undefined ? {} : { headers: { 'x-api-key': key } }) };
  };
  const name = key === undefined ? 'balance/single' : 'balance/single through the gateway';
  return { name, pid, run: (requests) => load({ url, connections: CONNECTIONS, requests, request }) };
}

const oneBlock = (): [string, number] => [USDC, HEIGHT];
const spread = (i: number): [string, number] => [
  SPREAD_TOKENS[i % SPREAD_TOKENS.length] ?? USDC,
  HEIGHT - 120 + (i % 200),
];

interface Scenario {
  readonly what: string;
  readonly at: At;
  readonly delayMs: number;
  readonly operations: number;
}

const SCENARIOS: readonly Scenario[] = [
  { what: 'one block', at: oneBlock, delayMs: 0, operations: REQUESTS },
  { what: '200 blocks, 5 tokens', at: spread, delayMs: 0, operations: REQUESTS },
  {
    what: `200 blocks, 5 tokens, node ${LATENCY_MS} ms away`,
    at: spread,
    delayMs: LATENCY_MS,
    operations: REQUESTS / 2,
  },
];

/** Runs the benchmark: each scenario on a fresh service. */
export async function run(results: Results): Promise<void> {
  const devchain = await startDevchain();
  for (const { what, at, delayMs, operations } of SCENARIOS) {
    const proxy = await startScript('tools/bench/processes/node-proxy.ts', [devchain.url, String(delayMs)]);
    const service = await startService('balance', { ETH_RPC_URL: proxy.url });
    const contestants = [rawCalls(proxy, at), balances(service, at)];
    await contest({ title: `balance, ${what}`, contestants, operations }, results);
    await service.stop();
    await proxy.stop();
  }
  await runThroughGateway(devchain.url, results);
  await runCached(devchain.url, results);
  await devchain.stop();
}

/** Answers that neither the service nor the gateway has given before, through both. */
async function runThroughGateway(nodeUrl: string, results: Results): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  const key = await makeKey(folder);
  const proxy = await startScript('tools/bench/processes/node-proxy.ts', [nodeUrl, '0']);
  const service = await startService('balance', { ETH_RPC_URL: proxy.url });
  const urls = { BALANCE_URL: service.url, TOKENS_URL: service.url, ORDERS_URL: service.url };
  const gateway = await startService('gateway', { ...urls, DATA_DIR: folder, SECRETS_KEY });
  const contestants = [rawCalls(proxy, spread), balances(gateway, spread, key)];
  const title = 'balance, 200 blocks, 5 tokens, through the gateway';
  await contest({ title, contestants, operations: REQUESTS }, results);
  for (const one of [gateway, service, proxy]) await one.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** The same finalized answer repeatedly, against a bare route that sends the same body. */
async function runCached(nodeUrl: string, results: Results): Promise<void> {
  const service = await startService('balance', { ETH_RPC_URL: nodeUrl });
  const path = `/v1/eth-mainnet/balance/single?token_address=${USDC}&holder=${holder(1)}&block_height=${HEIGHT}`;
  const body = await (await fetch(service.url + path)).text();
  const bare = await startScript('tools/bench/processes/bare-route.ts', [body]);
  const again = (name: string, { url, pid }: ServiceProcess): Contestant => {
    const request = () => ({ method: 'GET' as const, path });
    return { name, pid, run: (requests) => load({ url, connections: CONNECTIONS, requests, request }) };
  };
  const contestants = [again('bare Fastify route, same body', bare), again('balance/single', service)];
  await contest({ title: 'balance, cached', contestants, operations: 2 * REQUESTS }, results);
  await bare.stop();
  await service.stop();
}
