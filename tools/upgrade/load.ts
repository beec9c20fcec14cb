/** Steady load by clients that repeat after each answer, and a record of the answers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { makeOrder } from '../../tests/support/orders/signed-orders.ts';

const BALANCE =
  '/v1/eth-mainnet/balance/single?token_address=0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48&holder=treasury.eth&block_height=17999999';
const ORDERS = '/v1/eth-mainnet/orders/dex-webhook';
const ANSWER_WITHIN_MS = 30_000;

/** Answers to the clients of one key. */
export interface Seen {
  /** Answers by status; 0 for none, -1 where no connection was accepted: such a request was not sent. */
  readonly statuses: Record<number, number>;
  /** Ids of orders that were answered 201. */
  readonly taken: Set<string>;
}

/** Clients that go on until they are stopped. */
export interface Load {
  readonly seen: Seen;
  stop(): Promise<void>;
}

/** One client's next request. */
type Request = (pool: Pool) => Promise<number>;

/** Reads a balance over all gateways in turn, with that number of clients and a pause after each answer. */
export function askBalances(urls: readonly string[], key: string, clients: number, pauseMs: number): Load {
  const seen = nothing();
  const ask: Request = async (pool) => {
    const answer = await pool.request({ method: 'GET', path: BALANCE, headers: { 'x-api-key': key } });
    await answer.body.dump();
    return answer.statusCode;
  };
  return keepOn(urls, seen, { requests: Array.from({ length: clients }, () => ask), pauseMs });
}

/** Sends orders, each another one. @param series keeps those of several loads apart */
export function sendOrders(urls: readonly string[], key: string, series: number, pauseMs: number): Load {
  const seen = nothing();
  let nonce = BigInt(series) * 10n ** 9n;
  const send: Request = async (pool) => {
    const { id, body } = makeOrder(nonce++);
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await pool.request({ method: 'POST', path: ORDERS, headers, body });
    await answer.body.dump();
    if (answer.statusCode === 201) seen.taken.add(id);
    return answer.statusCode;
  };
  return keepOn(urls, seen, { requests: [send], pauseMs });
}

function nothing(): Seen {
  return { statuses: {}, taken: new Set() };
}

function keepOn(
  urls: readonly string[],
  seen: Seen,
  { requests, pauseMs }: { readonly requests: readonly Request[]; readonly pauseMs: number },
): Load {
  const timeouts = { headersTimeout: ANSWER_WITHIN_MS, bodyTimeout: ANSWER_WITHIN_MS };
  const pools = urls.map((url) => new Pool(url, { connections: 16, ...timeouts }));
  const stopping = new AbortController();
  let turn = 0;
  const clients = requests.map(async (request) => {
    while (!stopping.signal.aborted) {
      const status = await askInTurn(pools, turn++, request);
      seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
      await sleep(pauseMs);
    }
  });
  return {
    seen,
    async stop() {
      stopping.abort();
      await Promise.all(clients);
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}

/** As through a balancer: if one accepts no connection, the next gets the request. */
async function askInTurn(pools: readonly Pool[], turn: number, request: Request): Promise<number> {
  for (let tried = 0; tried < pools.length; tried++) {
    try {
      return await request(pools[(turn + tried) % pools.length]!);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') return 0;
    }
  }
  return -1;
}

/** Answers that count, and requests of which that is not known. */
export function countedOf(seen: readonly Seen[]): { readonly answered: number; readonly unknown: number } {
  const sum = (...statuses: number[]): number =>
    seen.reduce(
      (all, one) => all + statuses.reduce((some, status) => some + (one.statuses[status] ?? 0), 0),
      0,
    );
  return { answered: sum(200, 201), unknown: sum(0) };
}
