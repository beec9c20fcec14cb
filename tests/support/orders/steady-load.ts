/**
 * Orders at a steady rate, as the exchange sends them: each at its time, independent of the others, none
 * twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { OrderToSend } from './signed-orders.ts';

interface SteadyLoad {
  /** Taken in turns. */
  readonly gateways: readonly string[];
  readonly key: string;
  readonly orders: readonly OrderToSend[];
  readonly perSecond: number;
  /** Milliseconds that the sender waits; the exchange itself waits for 200 ms. */
  readonly timeoutMs: number;
}

/** The outcome of the orders. */
export interface LoadOutcome {
  /** Ids of the orders that were answered 201. */
  readonly taken: ReadonlySet<string>;
  /** Number of answers by status; 0 for no answer. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Milliseconds from an order's time to its answer, sorted. */
  readonly latencies: Float64Array;
}

const PATH = '/v1/eth-mainnet/orders/dex-webhook';

/** Sends the orders; resolves when the last has been answered or timed out. */
export async function sendSteadily(load: SteadyLoad): Promise<LoadOutcome> {
  const { gateways, key, orders, perSecond, timeoutMs } = load;
  const pools = gateways.map(
    (url) => new Pool(url, { connections: 200, pipelining: 1, connect: { timeout: timeoutMs } }),
  );
  const taken = new Set<string>();
  const statuses = new Map<number, number>();
  const latencies = new Float64Array(orders.length);
  const begun = performance.now();

  async function send(order: OrderToSend, at: number): Promise<void> {
    const due = begun + (at * 1000) / perSecond;
    const status = await post(pools[at % pools.length]!, key, order.body, timeoutMs);
    latencies[at] = performance.now() - due;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 201) taken.add(order.id);
  }

  const sent: Promise<void>[] = [];
  while (sent.length < orders.length) {
    const due = Math.min(orders.length, Math.ceil(((performance.now() - begun) * perSecond) / 1000));
    while (sent.length < due) sent.push(send(orders[sent.length]!, sent.length));
    await sleep(1);
  }
  await Promise.all(sent);
  await Promise.all(pools.map((pool) => pool.destroy()));
  return { taken, statuses, latencies: latencies.sort() };
}

/** The status of the answer, 0 for none. */
async function post(pool: Pool, key: string, body: string, timeoutMs: number): Promise<number> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const answer = await pool.request({ method: 'POST', path: PATH, headers, body, signal });
    await answer.body.dump();
    return answer.statusCode;
  } catch {
    return 0;
  }
}

/** A share of the sorted latencies lies below this. */
export function quantile(latencies: Float64Array, share: number): number {
  return latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? NaN;
}
