/** Clients of the installation, which write down what they asked and what they got. */
import { until } from '@hindsight/kernel/test/support/until.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { Random } from '../simulate/machine/random.ts';
import { makeOrder } from '../support/orders/signed-orders.ts';
import { ReadyBackends } from '../support/ready-backends.ts';
import { Questions, type ListedToken, type Question, type Verdict } from './questions.ts';

/** Requests of one project, by what became of them. */
export interface Asked {
  /** Units of answers that are charged: those below 500, but 429. */
  charged: number;
  /** Answers with 429. */
  limited: number;
  /** Answers with 500 and above, and requests while no gateway was ready: not charged. */
  failed: number;
  /** Units of requests without a complete answer: charged or not. */
  cutOff: number;
  /** Units of requests that have none yet. */
  underWay: number;
}

/** Everything that clients saw. */
export interface Seen {
  /** Of the project that reads and sends orders, and of the one with a low limit. */
  readonly open: Asked;
  readonly limited: Asked;
  /** Answers that were compared with the plan; those that said themselves that something is missing; and the wrong ones. */
  reads: number;
  partial: number;
  readonly wrong: string[];
  /** Orders that were answered 201, by the ids of their events. */
  readonly taken: Set<string>;
  /** Reads while gateways were deployed: all, failures of first attempts by status and code, those that failed although retried. */
  readonly deploy: { asked: number; readonly failedFirst: Record<string, number>; failed: number };
}

const RETRIES = 5;
/** The first pause, where an answer says none; it doubles. */
const RETRY_AFTER_MS = 300;
const POLL_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 15_000;
const WEBHOOK = '/v1/eth-mainnet/orders/dex-webhook';
const CONNECTIONS = 40;

const nothing = (): Asked => ({ charged: 0, limited: 0, failed: 0, cutOff: 0, underWay: 0 });

/** Sees nothing yet. */
export function seenNothing(): Seen {
  return {
    open: nothing(),
    limited: nothing(),
    reads: 0,
    partial: 0,
    wrong: [],
    taken: new Set(),
    deploy: { asked: 0, failedFirst: {}, failed: 0 },
  };
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
  readonly #questions: Questions;

  /** @param listed all tokens of the list, in its order */
  constructor(urls: readonly string[], seed: number, listed: readonly ListedToken[]) {
    this.#seed = seed;
    this.#questions = new Questions(new Random(seed), listed);
    this.#ready = new ReadyBackends(urls, POLL_EVERY_MS, this.#end.signal);
    const times = { headersTimeout: ANSWER_WITHIN_MS, bodyTimeout: ANSWER_WITHIN_MS };
    this.#pools = new Map(urls.map((url) => [url, new Pool(url, { connections: CONNECTIONS, ...times })]));
  }

  /**
   * Asks one question, again as the documentation advises, and judges its answer.
   * @param retries the most; a read without any is none of a deployment's
   */
  async read(key: string, retries = RETRIES): Promise<boolean> {
    const isDeploying = this.isDeploying && retries > 0;
    const question = this.#questions.next();
    const { path } = question;
    const { deploy, open, wrong } = this.seen;
    if (isDeploying) deploy.asked++;
    for (let attempt = 0; attempt <= retries; attempt++) {
      const answer = await this.#ask(open, { ...question, key });
      if (answer?.status === 200) {
        const verdict = judge(question, answer.text);
        if (verdict === 'right') {
          this.seen.reads++;
          return true;
        }
        if (verdict !== 'partial') {
          wrong.push(`${path}: ${verdict.fault}`);
          return true;
        }
        this.seen.partial++;
      } else if (answer !== undefined && answer.status < 500 && !isTooMuchAtOnce(answer)) {
        wrong.push(`${path}: ${answer.status} ${answer.text}`);
        return false;
      }
      if (isDeploying && attempt === 0) {
        const code = /"code":"(\w+)"/.exec(answer?.text ?? '')?.[1] ?? '';
        const why = answer === undefined ? 'cut off' : `${answer.status} ${code}`;
        deploy.failedFirst[why] = (deploy.failedFirst[why] ?? 0) + 1;
      }
      if (attempt < retries) await sleep(Math.max(RETRY_AFTER_MS * 2 ** attempt, answer?.retryAfterMs ?? 0));
    }
    if (isDeploying) deploy.failed++;
    return false;
  }

  /** Sends a new order, once. @returns the id of its event if it was taken */
  async send(key: string): Promise<string | undefined> {
    const { id, body } = makeOrder(BigInt(this.#seed) * 10n ** 9n + BigInt(this.made.size));
    this.made.add(id);
    const answer = await this.#ask(this.seen.open, { path: WEBHOOK, units: 1, key, body });
    if (answer?.status !== 201) return undefined;
    this.seen.taken.add(id);
    return id;
  }

  /** Spends one unit of the project with a low limit, at any gateway. */
  async spend(key: string): Promise<void> {
    await this.#ask(this.seen.limited, { ...this.#questions.balance(), key });
  }

  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }

  /** While gateways are deployed a request waits for one that is ready: those that are left may be too slow for a poll. */
  async #backend(): Promise<string | undefined> {
    let url = this.#ready.next();
    if (url === undefined && this.isDeploying)
      await until(
        'a gateway is ready',
        () => (url = this.#ready.next()) !== undefined,
        ANSWER_WITHIN_MS,
      ).catch(() => undefined);
    return url;
  }

  async #ask(
    asked: Asked,
    {
      path,
      units,
      key,
      body,
    }: Pick<Question, 'path' | 'units'> & { readonly key: string; readonly body?: string },
  ): Promise<Answer | undefined> {
    const headers = {
      'x-api-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', body } as const);
    const gateway = await this.#backend();
    if (gateway === undefined) {
      asked.failed++;
      return { status: 503, text: '"code":"no_gateway"', retryAfterMs: 0 };
    }
    asked.underWay += units;
    try {
      const asking = this.#pools.get(gateway)!.request({ path, headers, ...sent });
      const { statusCode: status, headers: got, body: stream } = await asking;
      const text = await stream.text();
      if (status >= 500) asked.failed++;
      else if (status === 429) asked.limited++;
      else asked.charged += units;
      if (status < 300 && got['x-units'] !== String(units))
        this.seen.wrong.push(`${path}: x-units ${String(got['x-units'])} instead of ${units}`);
      return { status, text, retryAfterMs: 1_000 * Number(got['retry-after'] ?? 0) };
    } catch {
      asked.cutOff += units;
      return undefined;
    } finally {
      asked.underWay -= units;
    }
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number;
}

/** Many lists are under way where they are slow: more are refused until then. */
function isTooMuchAtOnce({ status, text }: Answer): boolean {
  return status === 429 && text.includes('"streams_exceeded"');
}

function judge({ judge: judgeText }: Question, text: string): Verdict {
  try {
    return judgeText(text);
  } catch (error) {
    return { fault: `${String(error)}: ${text.slice(0, 200)}` };
  }
}
