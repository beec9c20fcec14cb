/** Requests of mixed weights over several gateways, snapshots among them, and the cost that their answers report. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Pool } from 'undici';

const LINES = 'holder.eth\n';

/** Answers to the clients. */
export interface MixedLoad {
  /** Answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Total cost by the answers. */
  readonly seen: number;
  /** Requests without a complete answer, and the most that they may have cost. */
  readonly cutOff: number;
  readonly cutOffMost: number;
}

interface Asked {
  readonly path: string;
  readonly body?: string;
  readonly most: number;
}

/** A mix that is the same each time: single answers, heavier ones that cost less than they may, snapshots. */
function mixed(n: number): Asked {
  const root = '/v1/eth-mainnet';
  if (n % 10 === 3) return { path: `${root}/allowance/list?cost=${1 + (n % 5)}`, most: 5 };
  if (n % 10 === 6)
    return { path: `${root}/balance/batch?cost=${1 + (n % 7)}`, body: '{},'.repeat(1_000), most: 10 };
  if (n % 10 !== 8) return { path: `${root}/balance/single`, most: 1 };
  const body = LINES.repeat(1 + ((n * 37) % 1_500));
  return {
    path: `${root}/balance/snapshot?token_address=0x1,0x2`,
    body,
    most: Math.ceil(body.length / 200) * 2,
  };
}

/** The service behind the gateways: reports the cost of each answer, and echoes snapshots. */
export function answerMixed(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service');
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  if (pathname.endsWith('/snapshot')) {
    request.pipe(response);
    return;
  }
  const cost = searchParams.get('cost');
  if (cost !== null) response.setHeader('x-hindsight-units', cost);
  request.resume();
  request.on('end', () => response.end('{}'));
}

/** Sends them. @param onAnswer called after each answer with their number */
export async function loadMixed(
  urls: readonly string[],
  key: string,
  requests: number,
  onAnswer: (answers: number) => void,
): Promise<MixedLoad> {
  const pools = urls.map((url) => new Pool(url, { connections: 16, bodyTimeout: 60_000 }));
  const statuses: Record<number, number> = {};
  let [next, answers, seen, cutOff, cutOffMost] = [0, 0, 0, 0, 0];
  const ask = async (pool: Pool, { path, body }: Asked): Promise<void> => {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { 'x-api-key': key, 'content-type': 'text/plain' };
    const sent = body === undefined ? {} : { body };
    const answer = await pool.request({ method, path, headers, ...sent });
    await answer.body.text();
    statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
    seen += Number(answer.headers['x-units'] ?? answer.trailers['x-units']);
    onAnswer(++answers);
  };
  const connection = async (): Promise<void> => {
    for (let n = next++; n < requests; n = next++) {
      const asked = mixed(n);
      try {
        await ask(pools[n % pools.length]!, asked);
      } catch {
        cutOff++;
        cutOffMost += asked.most;
      }
    }
  };
  await Promise.all(Array.from({ length: 32 }, connection));
  await Promise.all(pools.map((pool) => pool.destroy()));
  return { statuses, seen, cutOff, cutOffMost };
}
