/** Services as separate processes, over the number of connections and the node's latency. */
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { leanLoad } from '../lean-load.ts';
import { load, type LoadResult } from '../load.ts';
import { makeKey, SECRETS_KEY } from '../make-key.ts';
import type { Results, Row } from '../results.ts';
import { startScript, startService } from '../service-process.ts';
import { spreadOf } from './measure.ts';

const CONNECTIONS = [1, 10, 50, 100, 200, 500];
const LATENCIES_MS = [0, 5, 20, 50, 100];
const ROUNDS = 3;
const PATH = '/v1/eth-mainnet/balance/single';
const BALANCES = 4_000;

/** The gateway's rate and p99, over connections; and those of a bare proxy to the same service. */
export async function connectionsGrow(folder: string, results: Results): Promise<void> {
  const key = await makeKey(folder);
  const service = await startScript('tools/bench/processes/small-answers.ts', []);
  const urls = { BALANCE_URL: service.url, TOKENS_URL: service.url, ORDERS_URL: service.url };
  const gateway = await startService('gateway', { ...urls, DATA_DIR: folder, SECRETS_KEY });
  const text = `GET ${PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n\r\n`;
  const proxy = await startScript('tools/bench/processes/plain-proxy.ts', [service.url]);
  for (const [name, { url }] of Object.entries({ 'the gateway': gateway, 'a bare proxy': proxy })) {
    const rows: Row[] = [];
    for (const connections of CONNECTIONS) {
      const requests = Math.min(20_000, 4_000 * connections);
      const once = () => leanLoad({ url, connections, requests, request: () => text });
      rows.push(await rowOf(String(connections), once));
    }
    results.add(`requests at ${name}, by connections`, rows);
  }
  await proxy.stop();
  await gateway.stop();
  await service.stop();
}

/** Balances a second, all new to the service, over the node's latency; 50 connections. */
export async function nodeLatencyGrows(_folder: string, results: Results): Promise<void> {
  const devchain = await startDevchain();
  const rows: Row[] = [];
  let asked = 0;
  const path = (): string => {
    const holder = `0x${(0xabc_000_000 + asked).toString(16).padStart(40, '1')}`;
    const height = 17_999_880 + (asked++ % 200);
    return `${PATH}?token_address=${TOKENS.usdc.address}&holder=${holder}&block_height=${height}`;
  };
  for (const latency of LATENCIES_MS) {
    const proxy = await startScript('tools/bench/processes/node-proxy.ts', [devchain.url, String(latency)]);
    const balance = await startService('balance', { ETH_RPC_URL: proxy.url });
    const request = () => ({ method: 'GET' as const, path: path() });
    rows.push(
      await rowOf(`${latency} ms`, () =>
        load({ url: balance.url, connections: 50, requests: BALANCES, request }),
      ),
    );
    await balance.stop();
    await proxy.stop();
  }
  results.add('balances, 50 connections, by the distance of the node', rows);
  await devchain.stop();
}

async function rowOf(name: string, once: () => Promise<LoadResult>): Promise<Row> {
  await once();
  const rounds: LoadResult[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await once());
  return {
    name,
    rate: spreadOf(rounds.map(({ perSecond }) => perSecond)),
    p99: spreadOf(rounds.map(({ p99 }) => p99)),
  };
}
