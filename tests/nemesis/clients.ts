/** Clients of the installation, which write down what they asked and what they got. */
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { Random } from '../simulate/machine/random.ts';
import { makeOrder } from '../support/orders/signed-orders.ts';
import { ReadyBackends } from '../support/ready-backends.ts';

/** Requests of one project, by what became of them. */
export interface Asked {
  /** Answers that are charged: those below 500, but 429. */
  charged: number;
  /** Answers with 429. */
  limited: number;
  /** Answers with 500 and above, and requests while no gateway was ready: not charged. */
  failed: number;
  /** Without a complete answer: charged or not. */
  cutOff: number;
}

/** Everything that clients saw. */
export interface Seen {
  /** Of the project that reads and sends orders, and of the one with a low limit. */
  readonly open: Asked;
  readonly limited: Asked;
  /** Answers that were read against the ledger, and those that contradict it. */
  reads: number;
  readonly wrong: string[];
  /** Orders that were answered 201, by the ids of their events. */
  readonly taken: Set<string>;
  /** Reads while gateways were deployed: all, those that failed at first, those that failed although retried. */
  readonly deploy: { asked: number; failedFirst: number; failed: number };
}

const RETRIES = 5;
const RETRY_AFTER_MS = 300;
const POLL_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 15_000;
const WEBHOOK = '/v1/eth-mainnet/orders/dex-webhook';
const CONNECTIONS = 40;

const nothing = (): Asked => ({ charged: 0, limited: 0, failed: 0, cutOff: 0 });

/** Sees nothing yet. */
export function seenNothing(): Seen {
  return {
    open: nothing(),
    limited: nothing(),
    reads: 0,
    wrong: [],
    taken: new Set(),
    deploy: { asked: 0, failedFirst: 0, failed: 0 },
  };
}

/** A question whose answer the dev chain's ledger knows. */
interface Question {
  readonly path: string;
  readonly balance: string;
}

/** The clients, behind a load balancer that polls `/readyz` as deployments do. */
export class Clients {
  readonly seen = seenNothing();
  /** True while gateways are deployed: reads are counted apart. */
  isDeploying = false;
  /** Orders that were made, by the ids of their events: those of other seeds are on the topic, too. */
  readonly made = new Set<string>();
  readonly #pools: ReadonlyMap<string, Pool>;
  readonly #ready: ReadyBackends;
  readonly #end = new AbortController();
  readonly #seed: number;
  readonly #random: Random;
  readonly #ledger = buildPlan().ledger;

  constructor(urls: readonly string[], seed: number) {
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#ready = new ReadyBackends(urls, POLL_EVERY_MS, this.#end.signal);
    const times = { headersTimeout: ANSWER_WITHIN_MS, bodyTimeout: ANSWER_WITHIN_MS };
    this.#pools = new Map(urls.map((url) => [url, new Pool(url, { connections: CONNECTIONS, ...times })]));
  }

  /** Reads one balance, retried as the documentation advises, and compares it with the ledger. */
  async read(key: string): Promise<boolean> {
    const { isDeploying } = this;
    const { path, balance } = this.#question();
    const { deploy, open, wrong } = this.seen;
    if (isDeploying) deploy.asked++;
    for (let attempt = 0; attempt <= RETRIES; attempt++) {
      const answer = await this.#ask(open, { path, key });
      if (answer?.status === 200) {
        this.seen.reads++;
        const got = (answer.body as { balance?: unknown }).balance;
        if (got !== balance) wrong.push(`${path}: ${JSON.stringify(got)} instead of ${balance}`);
        return true;
      }
      if (answer !== undefined && answer.status < 500) {
        wrong.push(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
        return false;
      }
      if (isDeploying && attempt === 0) deploy.failedFirst++;
      await sleep(RETRY_AFTER_MS);
    }
    if (isDeploying) deploy.failed++;
    return false;
  }

  /** Sends a new order, once. @returns the id of its event if it was taken */
  async send(key: string): Promise<string | undefined> {
    const { id, body } = makeOrder(BigInt(this.#seed) * 10n ** 9n + BigInt(this.made.size));
    this.made.add(id);
    const answer = await this.#ask(this.seen.open, { path: WEBHOOK, key, body });
    if (answer?.status !== 201) return undefined;
    this.seen.taken.add(id);
    return id;
  }

  /** Spends one unit of the project with a low limit, at any gateway. */
  async spend(key: string): Promise<void> {
    await this.#ask(this.seen.limited, { path: this.#question().path, key });
  }

  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }

  #question(): Question {
    const random = this.#random;
    const holder = random.pick(Object.values(HOLDERS));
    const { address, since } = TOKENS.uni;
    const height = since + random.below(CHAIN.head - since + 1);
    return {
      path: `/v1/eth-mainnet/balance/single?token_address=${address}&holder=${holder}&block_height=${height}`,
      balance: String(this.#ledger.balanceAt(address, holder, height)),
    };
  }

  async #ask(
    asked: Asked,
    { path, key, body }: { readonly path: string; readonly key: string; readonly body?: string },
  ): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
    const headers = {
      'x-api-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', body } as const);
    const gateway = this.#ready.next();
    if (gateway === undefined) {
      asked.failed++;
      return { status: 503, body: undefined };
    }
    try {
      const asking = this.#pools.get(gateway)!.request({ path, headers, ...sent });
      const { statusCode: status, body: stream } = await asking;
      const answer = { status, body: await stream.json() };
      if (status >= 500) asked.failed++;
      else if (status === 429) asked.limited++;
      else asked.charged++;
      return answer;
    } catch {
      asked.cutOff++;
      return undefined;
    }
  }
}
