/** Balances against raw `eth_call`s through the same node: what the product costs on top of the chain. */
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { load, report, type LoadResult } from './load.ts';
import { startScript, startService } from './service-process.ts';

const CONNECTIONS = 50;
const REQUESTS = 20_000;
const LATENCY_MS = 20;
const HEIGHT = 18_000_000;
const SPREAD_TOKENS = [TOKENS.usdc, TOKENS.usdt, TOKENS.uni, TOKENS.weth, TOKENS.mkr].map(
  ({ address }) => address,
);
const USDC = TOKENS.usdc.address;

/** A holder that was not asked for before. */
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

interface Scenario {
  readonly what: string;
  readonly at: (i: number) => [token: string, height: number];
  readonly delayMs: number;
  readonly requests: number;
}

const SCENARIOS: readonly Scenario[] = [
  { what: 'one block', at: oneBlock, delayMs: 0, requests: REQUESTS },
  { what: '200 blocks, 5 tokens', at: spread, delayMs: 0, requests: REQUESTS },
  {
    what: `200 blocks, 5 tokens, node ${LATENCY_MS} ms away`,
    at: spread,
    delayMs: LATENCY_MS,
    requests: REQUESTS / 2,
  },
];

/** Runs the benchmark and prints its table: each scenario on a fresh service. */
export async function run(): Promise<void> {
  console.log(
    `${CONNECTIONS} connections, every request about a new holder; node and proxy are the same for both\n`,
  );
  const devchain = await startDevchain();
  let first = 0;
  for (const { what, at, delayMs, requests } of SCENARIOS) {
    const proxy = await startScript('tools/bench/processes/node-proxy.ts', [devchain.url, String(delayMs)]);
    const service = await startService('balance', { ETH_RPC_URL: proxy.url });
    await rawCalls(proxy.url, 3_000, at);
    const raw = await rawCalls(proxy.url, requests, at);
    report(`raw eth_call, ${what}`, raw);
    await balances(service.url, 3_000, at, (first += 1_000_000));
    report(`balance/single, ${what}`, await balances(service.url, requests, at, (first += 1_000_000)), raw);
    await service.stop();
    await proxy.stop();
  }
  await runCached(devchain.url);
  await devchain.stop();
}

/** The same finalized answers again and again, against a bare route that sends the same body. */
async function runCached(nodeUrl: string): Promise<void> {
  const service = await startService('balance', { ETH_RPC_URL: nodeUrl });
  const path = `/v1/eth-mainnet/balance/single?token_address=${USDC}&holder=${holder(1)}&block_height=${HEIGHT}`;
  const body = await (await fetch(service.url + path)).text();
  const bare = await startScript('tools/bench/processes/bare-route.ts', [body]);
  const cached = {
    connections: CONNECTIONS,
    requests: 2 * REQUESTS,
    request: () => ({ method: 'GET' as const, path }),
  };
  await load({ url: bare.url, ...cached });
  const baseline = await load({ url: bare.url, ...cached });
  report('bare Fastify route with the same body', baseline);
  await load({ url: service.url, ...cached });
  report('balance/single, cached', await load({ url: service.url, ...cached }), baseline);
  await bare.stop();
  await service.stop();
}
