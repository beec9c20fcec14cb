/** Balances against raw `eth_call`s through the same node: what the product costs on top of the chain. */
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { startNodeProxy } from '@hindsight/shared/testing/node-proxy.ts';
import { load, report, type LoadResult } from './load.ts';
import { startService } from './service-process.ts';

const CONNECTIONS = 50;
const REQUESTS = 20_000;
const LATENCY_MS = 20;
const HEIGHT = 18_000_000;
const SPREAD_TOKENS = [TOKENS.usdc, TOKENS.usdt, TOKENS.uni, TOKENS.weth, TOKENS.mkr].map(
  ({ address }) => address,
);
const USDC = TOKENS.usdc.address;

/** A holder that nobody asked for before. */
const holder = (i: number): string => `0x${(0xabc_000_000 + i).toString(16).padStart(40, '1')}`;

function rawCalls(
  url: string,
  requests: number,
  at: (i: number) => [token: string, height: number],
): Promise<LoadResult> {
  return load({
    url,
    connections: CONNECTIONS,
    requests,
    request(i) {
      const [to, height] = at(i);
      const data = `0x70a08231${holder(i).slice(2).padStart(64, '0')}`;
      const params = [{ to, data }, `0x${height.toString(16)}`];
      const body = JSON.stringify({ jsonrpc: '2.0', id: i, method: 'eth_call', params });
      return { method: 'POST', path: '/', body, headers: { 'content-type': 'application/json' } };
    },
  });
}

function balances(
  url: string,
  requests: number,
  at: (i: number) => [token: string, height: number],
  first = 0,
): Promise<LoadResult> {
  return load({
    url,
    connections: CONNECTIONS,
    requests,
    request(i) {
      const [token, height] = at(i);
      const query = `token_address=${token}&holder=${holder(first + i)}&block_height=${height}`;
      return { method: 'GET', path: `/v1/eth-mainnet/balance/single?${query}` };
    },
  });
}

const oneBlock = (): [string, number] => [USDC, HEIGHT];
const spread = (i: number): [string, number] => [
  SPREAD_TOKENS[i % SPREAD_TOKENS.length] ?? USDC,
  HEIGHT - 120 + (i % 200),
];

/** Runs the benchmark and prints its table. */
export async function run(): Promise<void> {
  const devchain = await startDevchain();
  const proxy = await startNodeProxy(devchain.url);
  const direct = await startService('balance', { ETH_RPC_URL: devchain.url });
  const slow = await startService('balance', { ETH_RPC_URL: proxy.url });
  try {
    console.log(`${CONNECTIONS} connections, ${REQUESTS} requests each, every one about a new holder\n`);
    await rawCalls(devchain.url, 2_000, oneBlock);
    const raw = await rawCalls(devchain.url, REQUESTS, oneBlock);
    report('raw eth_call, one block', raw);
    await balances(direct.url, 2_000, oneBlock, 10_000_000);
    report('balance/single, one block', await balances(direct.url, REQUESTS, oneBlock), raw);
    const rawSpread = await rawCalls(devchain.url, REQUESTS, spread);
    report('raw eth_call, 200 blocks, 5 tokens', rawSpread);
    report(
      'balance/single, 200 blocks, 5 tokens',
      await balances(direct.url, REQUESTS, spread, 20_000_000),
      rawSpread,
    );
    proxy.delayMs = LATENCY_MS;
    const rawSlow = await rawCalls(proxy.url, REQUESTS / 2, spread);
    report(`raw eth_call, 200 blocks, node ${LATENCY_MS} ms away`, rawSlow);
    await balances(slow.url, 2_000, spread, 30_000_000);
    const far = await balances(slow.url, REQUESTS / 2, spread, 40_000_000);
    report(`balance/single, 200 blocks, node ${LATENCY_MS} ms away`, far, rawSlow);
  } finally {
    await slow.stop();
    await direct.stop();
    await proxy.close();
    await devchain.stop();
  }
}
