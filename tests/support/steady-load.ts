/** Requests at a steady rate, and what became of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher, Pool } from 'undici';

interface Rate {
  readonly count: number;
  readonly perSecond: number;
}

/** The outcome of requests. */
export interface Outcome {
  /** Number of answers by status; 0 for no answer. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Milliseconds from a request's time to its answer, sorted. */
  readonly latencies: Float64Array;
}

/** Sends each request at its time, independent of the others. @param send resolves to the status of the answer */
export async function sendAtRate(
  { count, perSecond }: Rate,
  send: (at: number) => Promise<number>,
): Promise<Outcome> {
  const statuses = new Map<number, number>();
  const latencies = new Float64Array(count);
  const begun = performance.now();
  const sendOne = async (at: number): Promise<void> => {
    const status = await send(at);
    latencies[at] = performance.now() - begun - (at * 1_000) / perSecond;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  const sent: Promise<void>[] = [];
  while (sent.length < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - begun) * perSecond) / 1_000));
    while (sent.length < due) sent.push(sendOne(sent.length));
    await sleep(1);
  }
  await Promise.all(sent);
  return { statuses, latencies: latencies.sort() };
}

/** The status of an answer that was read to its end, 0 for none. */
export async function statusOf(
  pool: Pool,
  request: Dispatcher.RequestOptions,
  timeoutMs: number,
): Promise<number> {
  try {
    const answer = await pool.request({ ...request, signal: AbortSignal.timeout(timeoutMs) });
    await answer.body.dump();
    return answer.statusCode;
  } catch {
    return 0;
  }
}

/** A share of the sorted values lies below this. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** The value in the middle, of any order. */
export function median(values: readonly number[]): number {
  return quantile(Float64Array.from(values).sort(), 0.5);
}
