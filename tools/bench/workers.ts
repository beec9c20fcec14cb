/**
 * Gain of a second worker for a gateway and for a balance service. The load generator and the upstreams share
 * the machine's cores, so a rate would measure those too: the result is the processor time of an answer, and
 * from it the throughput of two cores relative to one.
 */
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../servers/redis.ts';
import { contest, type Contestant } from './contest.ts';
import { asked } from './gateway.ts';
import { load } from './load.ts';
import { makeKey, SECRETS_KEY } from './make-key.ts';
import type { Results, Row } from './results.ts';
import { startScript, startService, type ServiceProcess } from './service-process.ts';

const REQUESTS = 20_000;
/** For each worker: with fewer at a time, answers share less work and each costs more. */
const CONNECTIONS = 64;
const BALANCE = `/v1/eth-mainnet/balance/single?token_address=${TOKENS.usdc.address}&block_height=18000000&holder=`;

export async function run(results: Results): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  const key = await makeKey(folder);
  const redis = await startRedis();
  const started: ServiceProcess[] = [];
  const keep = async (starting: Promise<ServiceProcess>): Promise<ServiceProcess> => {
    const service = await starting;
    started.push(service);
    return service;
  };
  const devchain = await startDevchain();
  try {
    const behind = await keep(startScript('tools/bench/processes/small-answers.ts', []));
    const urls = { BALANCE_URL: behind.url, TOKENS_URL: behind.url, ORDERS_URL: behind.url };
    const settings = { ...urls, DATA_DIR: folder, SECRETS_KEY, REDIS_URL: redis.url };
    // The floor: gain of a second worker for a process that shares nothing between requests.
    const proxy = 'tools/bench/processes/plain-proxy.ts';
    const proxies = await pair(({ WORKERS = '1' }) => keep(startScript(proxy, [behind.url, WORKERS])));
    await twoCores(
      'a bare proxy',
      proxies.map((one, i) => asked(nameOf(i), one, key, (i + 1) * CONNECTIONS)),
      results,
    );
    const gateways = await pair((workers) => keep(startService('gateway', { ...settings, ...workers })));
    await twoCores(
      'gateway',
      gateways.map((one, i) => asked(nameOf(i), one, key, (i + 1) * CONNECTIONS)),
      results,
    );
    const node = { ETH_RPC_URL: devchain.url };
    const balances = await pair((workers) => keep(startService('balance', { ...node, ...workers })));
    await twoCores('balance, uncached', balances.map(uncached), results);
  } finally {
    for (const one of started.toReversed()) await one.stop();
    await devchain.stop();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const nameOf = (index: number): string => (index === 0 ? 'one worker' : 'two workers');

async function pair(
  start: (settings: Record<string, string>) => Promise<ServiceProcess>,
): Promise<readonly ServiceProcess[]> {
  return [await start({}), await start({ WORKERS: '2' })];
}

function uncached({ url, pid }: ServiceProcess, index: number): Contestant {
  let next = index * 100_000_000;
  const path = (): string => `${BALANCE}0x${(0xabc_000_000 + next++).toString(16).padStart(40, '1')}`;
  return {
    name: nameOf(index),
    pid,
    run: (requests) =>
      load({
        url,
        connections: (index + 1) * CONNECTIONS,
        requests,
        request: () => ({ method: 'GET', path: path() }),
      }),
  };
}

async function twoCores(title: string, contestants: readonly Contestant[], results: Results): Promise<void> {
  const rows = await contest(
    { title: `${title}, one and two workers`, contestants, operations: REQUESTS },
    results,
  );
  const [one, two] = rows.map(({ cpu }: Row) => cpu?.median ?? 0) as [number, number];
  console.log(`by processor time, two cores answer ${((2 * one) / two).toFixed(2)} times as much as one`);
}
