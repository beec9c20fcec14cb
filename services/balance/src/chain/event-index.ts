/** The index of the holders service: it names what a search of the logs of finalized blocks would. */
import { textOf, type OtherService } from '@hindsight/http/other-service.ts';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';

/** All rows of some blocks, the newest first. */
export interface Indexed<Row> {
  /** The first and the last block whose events the rows are of. */
  readonly from: number;
  readonly end: number;
  readonly rows: readonly Row[];
}

interface EventIndexDeps {
  readonly service: OtherService;
  readonly network: string;
  readonly reader: Pick<ChainReader, 'findBlocks' | 'findBlocksUpTo'>;
  /** Milliseconds for an answer: logs are searched after that. */
  readonly withinMs?: number | undefined;
}

const height = z.int().nonnegative();
/** Lower-cased. */
const address = z.string().regex(/^0x[0-9a-f]{40}$/);
const end = z.object({ number: height, hash: z.string().regex(/^0x[0-9a-f]{64}$/) });

/** An answer, which is read like anything from outside: rows are null where there are too many. */
function answerWith<Row>(row: z.ZodType<Row>) {
  return z.object({ from: height, end, rows: z.array(row).nullable() });
}

/** A token that an account had to do with, or an id of an ERC-1155 token. */
const holding = z.object({
  token: address,
  id: z
    .string()
    .regex(/^\d{1,78}$/)
    .nullable(),
});
/** A spender that an account approved: for a token, as an operator of all tokens of a contract, or with Permit2. */
const approval = z.object({
  token: address,
  spender: address,
  kind: z.enum(['token', 'operator', 'permit2']),
});
const HOLDINGS = answerWith(holding);
const APPROVALS = answerWith(approval);
const BLOCKS = answerWith(height);

interface Question {
  /** The last part of the path. */
  readonly kind: string;
  readonly query: Readonly<Record<string, string | number>>;
  /** Questions that are paused together; those of a kind if not given. */
  readonly key?: string;
}

const ANSWER_MS = 1_500;
/** Milliseconds without questions after one that failed, and after one that the index does not cover. */
const FAILED_MS = 5_000;
const UNCOVERED_MS = 60_000;
/** The key of all questions. */
const ALL = '';
const MAX_PAUSED = 1_000;

/**
 * Asks the holders service. Where the index does not cover a question, or does not answer in time, there is no answer; the
 * next questions do not wait for it for a while.
 */
export class EventIndex {
  readonly #deps: EventIndexDeps;
  /** Keys of the questions that are not asked at present: a kind of them, those about a token, or `ALL`. */
  readonly #paused = new LRUCache<string, true>({ max: MAX_PAUSED });
  /** The hash of the last end that was found on the chain. */
  #found = '';

  constructor(deps: EventIndexDeps) {
    this.#deps = deps;
  }

  /** Tokens that an account may hold at a block; undefined where the index does not have the whole chain. */
  holdings(account: string, at: Block, signal: AbortSignal) {
    return this.#ask(HOLDINGS, { kind: 'holdings', query: { account, up_to: at.number } }, at, signal);
  }

  /** Spenders that an account approved up to a block; undefined where the index does not have the whole chain. */
  approvals(account: string, at: Block, signal: AbortSignal) {
    return this.#ask(APPROVALS, { kind: 'approvals', query: { account, up_to: at.number } }, at, signal);
  }

  /** The first blocks with events of a token that name a holder, ascending; undefined where the token is not indexed. */
  blocks(
    question: {
      readonly token: string;
      readonly holder: string;
      readonly from: number;
      readonly limit: number;
    },
    to: Block,
    signal: AbortSignal,
  ): Promise<Indexed<number> | undefined> {
    // A token that is not indexed says nothing about others.
    const asked = { kind: 'blocks', query: { ...question, to: to.number }, key: `blocks ${question.token}` };
    return this.#ask(BLOCKS, asked, to, signal);
  }

  async #ask<Row>(
    shape: ReturnType<typeof answerWith<Row>>,
    { kind, query, key = kind }: Question,
    at: Block,
    signal: AbortSignal,
  ): Promise<Indexed<Row> | undefined> {
    if (this.#paused.has(ALL) || this.#paused.has(key)) return undefined;
    const { service, network, withinMs = ANSWER_MS } = this.#deps;
    const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const path = `/internal/${network}/${kind}?${new URLSearchParams(parameters).toString()}`;
    const within = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
    try {
      const { status, body } = await service.ask({ method: 'GET', path, signal: within });
      const text = await textOf(body);
      if (status !== 200) {
        if (status >= 500) this.#pause(ALL, FAILED_MS);
        else this.#pause(key, UNCOVERED_MS);
        return undefined;
      }
      const { from, end, rows } = shape.parse(JSON.parse(text));
      if (rows === null) return undefined;
      if (await this.#isOnChain(end, at, within)) return { from, end: end.number, rows };
      this.#pause(ALL, UNCOVERED_MS);
    } catch {
      signal.throwIfAborted();
      this.#pause(ALL, FAILED_MS);
    }
    return undefined;
  }

  /** An index of another chain would name other events than those of this one. */
  async #isOnChain({ number, hash }: z.output<typeof end>, at: Block, signal: AbortSignal): Promise<boolean> {
    if (this.#found === hash) return true;
    const { reader } = this.#deps;
    const [block] = await (number <= at.number
      ? reader.findBlocksUpTo(at, [number], signal)
      : reader.findBlocks([number], signal));
    if (block?.hash !== hash) return false;
    this.#found = hash;
    return true;
  }

  #pause(key: string, ttl: number): void {
    this.#paused.set(key, true, { ttl });
  }
}
