/**
 * Followers of the stream of orders at one gateway, beside the webhook: the delay from an order's 201 to its event at each of
 * them, what they cost in memory and processor time, and the webhook's latency with and without them.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeOrders } from '../../tests/support/orders/signed-orders.ts';
import { sendSteadily } from '../../tests/support/orders/steady-load.ts';
import { quantile } from '../../tests/support/steady-load.ts';
import { cpuSeconds, residentMib, watchOthers } from './machine.ts';
import { makeKey, SECRETS_KEY } from './make-key.ts';
import type { Followed, ToCompare, ToFollow } from './processes/order-followers.ts';
import { startService, type ServiceProcess } from './service-process.ts';

const FOLLOWERS = 200;
/** A project may have five streams open. */
const PER_PROJECT = 5;
const PER_SECOND = 200;
const SECONDS = 30;
const WARM_UP = 600;
/** Enough for the last events to arrive. */
const SETTLED_MS = 5_000;

let series = 1;

/** Runs the benchmark. @param `process.argv[3]` orders a second, in place of 200 */
export async function run(): Promise<void> {
  const perSecond = Number(process.argv[3] ?? PER_SECOND);
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  const key = await makeKey(dataDir);
  const keys: string[] = [];
  for (let project = 0; project < FOLLOWERS / PER_PROJECT; project++) {
    const own = await makeKey(dataDir);
    for (let stream = 0; stream < PER_PROJECT; stream++) keys.push(own);
  }
  const orders = await startService('orders', { ETH_RPC_URL: 'http://127.0.0.1:9', DATA_DIR: dataDir });
  const urls = { BALANCE_URL: orders.url, TOKENS_URL: orders.url, ORDERS_URL: orders.url };
  const gateway = await startService('gateway', { ...urls, DATA_DIR: dataDir, SECRETS_KEY });
  const send = (count: number) =>
    sendSteadily({
      gateways: [gateway.url],
      key,
      timeoutMs: 5_000,
      orders: makeOrders(count, series++),
      perSecond,
    });
  const followers = fork(new URL('processes/order-followers.ts', import.meta.url));
  try {
    await send(WARM_UP);
    const others = watchOthers();
    const timeAlone = watchTime({ gateway, orders });
    const alone = await send(perSecond * SECONDS);
    print(`webhook, ${perSecond}/s for ${SECONDS} s, no followers`, delaysOf(alone.latencies));
    print('processor time of it', timeAlone());
    const before = memoryOf({ gateway, orders });
    const toFollow: ToFollow = { url: gateway.url, keys };
    followers.send(toFollow);
    await once(followers, 'message');
    print(`${FOLLOWERS} followers, idle`, difference(before, memoryOf({ gateway, orders })));
    const timeBeside = watchTime({ gateway, orders });
    const beside = await send(perSecond * SECONDS);
    const after = memoryOf({ gateway, orders });
    await sleep(SETTLED_MS);
    const taken = [...beside.taken].map(([id, at]) => [id.slice(id.indexOf(':') + 1), at] as const);
    const toCompare: ToCompare = { taken };
    followers.send(toCompare);
    const [followed] = (await once(followers, 'message')) as [Followed];
    print(`webhook, ${perSecond}/s for ${SECONDS} s, ${FOLLOWERS} followers`, delaysOf(beside.latencies));
    print('processor time of it', timeBeside());
    print('memory at the end of it', difference(before, after));
    const { events, missed, twice, p50, p99 } = followed;
    print(
      'from the 201 to the event',
      `p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms  of ${events} events, missed ${missed}, twice ${twice}`,
    );
    const count = perSecond * SECONDS;
    print('not answered 201', `alone ${count - alone.taken.size}, beside ${count - taken.length}`);
    print('others used of all cores meanwhile', `${(100 * others.share()).toFixed(0)} %`);
  } finally {
    followers.kill();
    await gateway.stop();
    await orders.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function print(what: string, outcome: string): void {
  console.log(what.padEnd(52), outcome);
}

/** @param sorted milliseconds */
function delaysOf(sorted: Float64Array): string {
  return `p50 ${quantile(sorted, 0.5).toFixed(1)} ms  p99 ${quantile(sorted, 0.99).toFixed(1)} ms`;
}

type Services = Readonly<Record<string, ServiceProcess>>;

/** Processor time of each from now on. */
function watchTime(services: Services): () => string {
  const begun = Object.entries(services).map(([name, { pid }]) => [name, pid, cpuSeconds(pid)] as const);
  return () =>
    begun.map(([name, pid, before]) => `${name} ${(cpuSeconds(pid) - before).toFixed(1)} s`).join('  ');
}

type Memory = Readonly<Record<string, number>>;

/** Resident memory of each, in MiB. */
function memoryOf(services: Services): Memory {
  return Object.fromEntries(Object.entries(services).map(([name, { pid }]) => [name, residentMib(pid)]));
}

function difference(before: Memory, after: Memory): string {
  return Object.entries(after)
    .map(([name, mib]) => `${name} ${mib.toFixed(0)} MiB (${(mib - before[name]!).toFixed(0)} more)`)
    .join('  ');
}
