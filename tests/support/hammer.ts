/** Many connections that send one request to several gateways, and the answers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

const AGAIN_AFTER_MS = 250;

/** Answers to the clients. */
export interface Hammered {
  /** Answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Requests without an answer. */
  readonly cutOff: number;
  /** Answers with 503 that were retried. */
  readonly again: number;
}

interface Hammering {
  readonly urls: readonly string[];
  readonly path: string;
  readonly key: string;
  readonly requests: number;
  readonly connections?: number;
  /** True to retry a 503: the store of a busy machine may be too slow. */
  readonly insist?: boolean;
  /** Called after each answer with their number. */
  readonly onAnswer?: (answers: number) => void;
}

/** Sends the requests over all gateways in turn. */
export async function hammer(options: Hammering): Promise<Hammered> {
  const { urls, path, key, requests, connections = 64, insist = false, onAnswer } = options;
  const pools = urls.map(
    (url) => new Pool(url, { connections, headersTimeout: 60_000, bodyTimeout: 60_000 }),
  );
  const statuses: Record<number, number> = {};
  let [next, cutOff, answers, again] = [0, 0, 0, 0];
  const ask = async (pool: Pool): Promise<number> => {
    const headers = { 'x-api-key': key };
    for (;;) {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      await body.dump();
      if (!insist || statusCode !== 503) return statusCode;
      again++;
      await sleep(AGAIN_AFTER_MS);
    }
  };
  const connection = async (): Promise<void> => {
    for (let i = next++; i < requests; i = next++) {
      try {
        const status = await ask(pools[i % pools.length]!);
        statuses[status] = (statuses[status] ?? 0) + 1;
        onAnswer?.(++answers);
      } catch {
        cutOff++;
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  await Promise.all(pools.map((pool) => pool.destroy()));
  return { statuses, cutOff, again };
}
