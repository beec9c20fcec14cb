/**
 * Signed orders into the webhook, measured at the exchange's side of the wire: latencies at 200 a second with
 * verification and durability, the highest rate within the sender's patience, and the service's cost on top
 * of bare cryptography.
 */
import { recoverAddress } from 'ethers';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { makeOrders, readOrder, type OrderToSend } from '../../tests/support/orders/signed-orders.ts';
import { sendSteadily } from '../../tests/support/orders/steady-load.ts';
import { quantile } from '../../tests/support/steady-load.ts';
import { startService } from './service-process.ts';

const RATE = 200;
const SECONDS = 60;
const PATIENCE_MS = 200;
const STEP_SECONDS = 10;
const STEPS = [400, 600, 800, 1_000, 1_200, 1_400];
const AT_ONCE = 3_000;
const CONNECTIONS = 50;
const SECRETS_KEY = 'a secret of the benchmark';
const PATH = '/v1/eth-mainnet/orders/dex-webhook';

let series = 1;

async function makeKey(dataDir: string): Promise<string> {
  const lifecycle = createLifecycle(createLogger({ name: 'bench', level: 'silent' }));
  const parts = { clock: systemClock, ids: randomIds, lifecycle };
  const { projects } = await openProjects({ dataDir, secret: SECRETS_KEY }, parts);
  const limits = { monthlyLimit: 1_000_000_000, rate: 100_000 };
  const { key } = await createProject(
    { projects, ...parts },
    { name: 'bench', plan: 'enterprise', ...limits },
  );
  await lifecycle.shutdown('made');
  return key;
}

/** Decodes and verifies with nothing but ethers: orders a second on one core. */
function bareEthers(orders: readonly OrderToSend[]): number {
  const bodies = orders.map(({ body }) => JSON.parse(body) as { encodedOrder: string; signature: string });
  const begun = performance.now();
  for (const { encodedOrder, signature } of bodies) {
    const { swapper, digest, cosigner, cosignature, cosignerDigest } = readOrder(encodedOrder);
    if (recoverAddress(digest, signature) !== swapper) throw new Error('another signer');
    if (recoverAddress(cosignerDigest, cosignature) !== cosigner) throw new Error('another cosigner');
  }
  return (orders.length * 1000) / (performance.now() - begun);
}

/** Times that an order is sent at the most: a service that has just started refuses some (503). */
const MOST_SENT = 1_000;

/** The highest rate over some connections: orders a second, which is one core's worth. */
async function asFastAsItGoes(url: string, orders: readonly OrderToSend[]): Promise<number> {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  const headers = { 'content-type': 'application/json', 'x-hindsight-project': 'bench' };
  const send = async (body: string): Promise<{ readonly status: number; readonly text: string }> => {
    const answer = await pool.request({ method: 'POST', path: PATH, headers, body });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  let next = 0;
  const connection = async (): Promise<void> => {
    for (let at = next++; at < orders.length; at = next++) {
      const { body } = orders[at]!;
      let answer = await send(body);
      for (let sent = 1; answer.status === 503 && sent < MOST_SENT; sent++) answer = await send(body);
      if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const perSecond = (orders.length * 1000) / (performance.now() - begun);
  await pool.close();
  return perSecond;
}

interface Steady {
  readonly p50: number;
  readonly p99: number;
  readonly missed: number;
}

/** At the sender, through the gateway. */
async function steady(gateway: string, key: string, perSecond: number, seconds: number): Promise<Steady> {
  const orders = makeOrders(perSecond * seconds, series++);
  const { taken, latencies } = await sendSteadily({
    gateways: [gateway],
    key,
    orders,
    perSecond,
    timeoutMs: 5_000,
  });
  const missed = orders.length - taken.size;
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  console.log(
    `${perSecond} orders/s for ${seconds} s, at the sender`.padEnd(46),
    `p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  not taken ${missed}`,
  );
  return { p50, p99, missed };
}

/** Cost of an order compared with bare cryptography. */
async function compare(ordersUrl: string): Promise<void> {
  await asFastAsItGoes(ordersUrl, makeOrders(300, series++));
  bareEthers(makeOrders(300, series++));
  const many = makeOrders(AT_ONCE, series++);
  const bare = bareEthers(many);
  console.log(`ethers alone, decoded and verified`.padEnd(46), `${bare.toFixed(0)}/s  baseline`);
  const whole = await asFastAsItGoes(ordersUrl, many);
  console.log(
    `orders service: checked, on disk, published`.padEnd(46),
    `${whole.toFixed(0)}/s  ratio ${(whole / bare).toFixed(2)}`,
  );
}

async function findHighest(gateway: string, key: string): Promise<void> {
  let highest = 0;
  for (const rate of STEPS) {
    const { p99, missed } = await steady(gateway, key, rate, STEP_SECONDS);
    if (p99 > PATIENCE_MS || missed > 0) break;
    highest = rate;
  }
  console.log(`highest rate whose p99 is within ${PATIENCE_MS} ms: ${highest}/s`);
}

/** Runs the benchmark, or the one part of it that is named: ratio, steady, highest. */
export async function run(): Promise<void> {
  const part = process.argv[3];
  const runs = (name: string): boolean => part === undefined || part === name;
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  const key = await makeKey(dataDir);
  const node = { ETH_RPC_URL: 'http://127.0.0.1:9' };
  const orders = await startService('orders', { ...node, DATA_DIR: dataDir });
  const urls = { BALANCE_URL: orders.url, TOKENS_URL: orders.url, ORDERS_URL: orders.url };
  const gateway = await startService('gateway', { ...urls, DATA_DIR: dataDir, SECRETS_KEY });
  try {
    if (runs('ratio')) await compare(orders.url);
    else await asFastAsItGoes(orders.url, makeOrders(300, series++));
    await sendSteadily({
      gateways: [gateway.url],
      key,
      orders: makeOrders(600, series++),
      perSecond: RATE,
      timeoutMs: 5_000,
    });
    if (runs('steady')) await steady(gateway.url, key, RATE, SECONDS);
    if (runs('highest')) await findHighest(gateway.url, key);
  } finally {
    await gateway.stop();
    await orders.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
