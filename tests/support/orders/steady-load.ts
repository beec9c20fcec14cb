/**
 * Orders at a steady rate, as the exchange sends them: each at its time, independent of the others, none
 * twice.
 */
import { Pool } from 'undici';
import { sendAtRate, statusOf, type Outcome } from '../steady-load.ts';
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
export interface LoadOutcome extends Outcome {
  /** The times at which orders were answered 201, by the orders' ids: see `machineTime`. */
  readonly taken: ReadonlyMap<string, number>;
}

const PATH = '/v1/eth-mainnet/orders/dex-webhook';

/** The machine's monotonic clock, which all of its processes share. Milliseconds. */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Sends the orders; resolves when the last has been answered or timed out. */
export async function sendSteadily(load: SteadyLoad): Promise<LoadOutcome> {
  const { gateways, key, orders, perSecond, timeoutMs } = load;
  const pools = gateways.map(
    (url) => new Pool(url, { connections: 200, pipelining: 1, connect: { timeout: timeoutMs } }),
  );
  const taken = new Map<string, number>();
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const outcome = await sendAtRate({ count: orders.length, perSecond }, async (at) => {
    const { id, body } = orders[at]!;
    const request = { method: 'POST', path: PATH, headers, body } as const;
    const status = await statusOf(pools[at % pools.length]!, request, timeoutMs);
    if (status === 201) taken.set(id, machineTime());
    return status;
  });
  await Promise.all(pools.map((pool) => pool.destroy()));
  return { taken, ...outcome };
}
