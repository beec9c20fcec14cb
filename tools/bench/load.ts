/** A load generator: a fixed number of connections, each with one request at a time. */
import { Pool } from 'undici';

export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly requests: number;
  /** The i-th request; anything but a 200 ends the run with an error. */
  readonly request: (i: number) => {
    method: 'GET' | 'POST';
    path: string;
    body?: string;
    headers?: Record<string, string>;
  };
  /** A client's reading of the i-th answer. */
  readonly read?: (text: string, i: number) => unknown;
}

/** Sends the requests and measures. @throws {Error} for any answer but a 200 */
export async function load({ url, connections, requests, request, read }: Load): Promise<LoadResult> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const latencies = new Float64Array(requests);
  let next = 0;
  const connection = async (): Promise<void> => {
    for (let i = next++; i < requests; i = next++) {
      const begun = performance.now();
      const { statusCode, body } = await pool.request(request(i));
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${text.slice(0, 300)}`);
      read?.(text, i);
      latencies[i] = performance.now() - begun;
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, connection));
  const seconds = (performance.now() - begun) / 1000;
  await pool.close();
  latencies.sort();
  const at = (share: number): number => latencies[Math.min(requests - 1, Math.floor(requests * share))] ?? 0;
  return { perSecond: requests / seconds, p50: at(0.5), p99: at(0.99) };
}

/** One line of a report: a rate, its latencies and its ratio to the baseline's rate. */
export function report(what: string, result: LoadResult, baseline?: LoadResult): void {
  const ratio =
    baseline === undefined ? 'baseline' : `ratio ${(result.perSecond / baseline.perSecond).toFixed(2)}`;
  const rate = `${Math.round(result.perSecond).toLocaleString('en')}/s`;
  console.log(
    `${what.padEnd(58)} ${rate.padStart(10)}  p50 ${result.p50.toFixed(1)} ms  p99 ${result.p99.toFixed(1)} ms  ${ratio}`,
  );
}
