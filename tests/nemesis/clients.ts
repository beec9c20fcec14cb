/** Clients of the installation, which write down what they asked and what they got. */
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Random } from '../simulate/machine/random.ts';
import type { OrderToSend } from '../support/orders/signed-orders.ts';

/** Requests of one project, by what became of them. */
export interface Asked {
  /** Answers that are charged: those below 500, but 429. */
  charged: number;
  /** Answers with 429. */
  limited: number;
  /** Answers with 500 and above: not charged. */
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
  readonly #pools: readonly Pool[];
  readonly #urls: readonly string[];
  readonly #ready: boolean[];
  readonly #random: Random;
  readonly #ledger = buildPlan().ledger;
  #turn = 0;

  constructor(urls: readonly string[], random: Random) {
    this.#urls = urls;
    this.#random = random;
    this.#ready = urls.map(() => true);
    this.#pools = urls.map(
      (url) =>
        new Pool(url, {
          connections: CONNECTIONS,
          headersTimeout: ANSWER_WITHIN_MS,
          bodyTimeout: ANSWER_WITHIN_MS,
        }),
    );
  }

  /** Polls the gateways until the signal. */
  async balance(end: AbortSignal): Promise<void> {
    const poll = async (at: number): Promise<void> => {
      while (!end.aborted) {
        const signal = AbortSignal.timeout(1_000);
        const answer = await fetch(`${this.#urls[at]!}/readyz`, { signal }).catch(() => undefined);
        this.#ready[at] = answer?.ok === true;
        await answer?.body?.cancel().catch(() => undefined);
        await sleep(POLL_EVERY_MS);
      }
    };
    await Promise.all(this.#urls.map((_, at) => poll(at)));
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

  /** Sends one order, once. @returns true if it was taken */
  async send({ id, body }: OrderToSend, key: string): Promise<boolean> {
    const answer = await this.#ask(this.seen.open, { path: WEBHOOK, key, body });
    if (answer?.status !== 201) return false;
    this.seen.taken.add(id);
    return true;
  }

  /** Spends one unit of the project with a low limit, at any gateway. */
  async spend(key: string): Promise<void> {
    await this.#ask(this.seen.limited, { path: this.#question().path, key });
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
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
    try {
      const answer = await this.#pool().request({ path, headers, ...sent });
      const text = await answer.body.text();
      const { statusCode: status } = answer;
      if (status >= 500) asked.failed++;
      else if (status === 429) asked.limited++;
      else asked.charged++;
      return { status, body: JSON.parse(text) };
    } catch {
      asked.cutOff++;
      return undefined;
    }
  }

  /** The next gateway in turn that was ready when last asked; any if none was. */
  #pool(): Pool {
    const ready = this.#pools.filter((_, at) => this.#ready[at]);
    const pools = ready.length > 0 ? ready : this.#pools;
    return pools[this.#turn++ % pools.length]!;
  }
}
