/** Many connections that ask one thing of several gateways, and what they were answered. */
import { Pool } from 'undici';

/** What the clients saw. */
export interface Hammered {
  /** Answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Requests whose answer did not come. */
  readonly cutOff: number;
}

interface Hammering {
  readonly urls: readonly string[];
  readonly path: string;
  readonly key: string;
  readonly requests: number;
  readonly connections?: number;
  /** Told after each answer how many there are. */
  readonly onAnswer?: (answers: number) => void;
}

/** Sends the requests over all gateways in turn. */
export async function hammer(options: Hammering): Promise<Hammered> {
  const { urls, path, key, requests, connections = 64, onAnswer } = options;
  const pools = urls.map(
    (url) => new Pool(url, { connections, headersTimeout: 60_000, bodyTimeout: 60_000 }),
  );
  const statuses: Record<number, number> = {};
  let [next, cutOff, answers] = [0, 0, 0];
  const connection = async (): Promise<void> => {
    for (let i = next++; i < requests; i = next++) {
      const pool = pools[i % pools.length]!;
      try {
        const { statusCode, body } = await pool.request({
          method: 'GET',
          path,
          headers: { 'x-api-key': key },
        });
        await body.dump();
        statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
        onAnswer?.(++answers);
      } catch {
        cutOff++;
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  await Promise.all(pools.map((pool) => pool.destroy()));
  return { statuses, cutOff };
}
