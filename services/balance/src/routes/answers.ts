import { withDeadline } from '@hindsight/kernel/deadline.ts';
import { gatewayTimeout } from '@hindsight/kernel/errors.ts';
import { withEtag } from '@hindsight/http/cacheable.ts';
import { sendPriced, type KeepImmutable, type PricedBody } from './immutable-answers.ts';
import { SingleFlight } from '@hindsight/kernel/single-flight.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkFields } from '../domain/pinned.ts';
import { questionKey, type Question } from '../domain/question.ts';
import type { AnswerCache, History } from '../ports.ts';
import type { ComputedAnswer, View } from '../views/view.ts';

export interface AnswersDeps {
  readonly cache: AnswerCache;
  readonly keepImmutable: KeepImmutable;
  /** Milliseconds for a request in all. */
  readonly deadlineMs: number;
}

/** A question of a view to a network's history. */
export interface ViewRequest {
  readonly history: History;
  readonly view: View;
  readonly question: Question<never>;
}

interface Answer extends PricedBody {
  /** True if the same question will always have this answer. */
  readonly lasting: boolean;
}

type Paged = Pick<PricedBody, 'next'>;

/** Answers questions: from a cache, from an equal question under way, or from the chain. */
export class Answers {
  readonly #deps: AnswersDeps;
  /** By URL, which names the network. */
  readonly #underWay = new SingleFlight<string, Answer>();

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
  }

  /**
   * Answers a request within its deadline. Once all callers have left or timed out, no node gets further
   * requests.
   */
  async send(request: FastifyRequest, reply: FastifyReply, asked: ViewRequest): Promise<FastifyReply> {
    const { url } = request;
    return this.#send(request, reply, (signal) => this.#find(url, asked, signal));
  }

  /** As `send`, for an answer that is about more than one block. */
  async sendComputed(
    request: FastifyRequest,
    reply: FastifyReply,
    compute: (signal: AbortSignal) => Promise<ComputedAnswer>,
  ): Promise<FastifyReply> {
    const { url } = request;
    return this.#send(request, reply, async (signal) => {
      const { record, units, lasting, toTable, next } = await compute(signal);
      const answer = { ...withEtag(JSON.stringify(record)), units, toTable, next };
      return lasting ? this.#keep(url, answer) : { ...answer, lasting };
    });
  }

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    find: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<FastifyReply> {
    const { deadlineMs } = this.#deps;
    const late = (): Error =>
      gatewayTimeout('deadline_exceeded', `The answer took longer than ${deadlineMs} ms.`);
    const share = this.#underWay.join(request.url, find);
    reply.raw.once('close', share.leave);
    const answer = await withDeadline(share.result, deadlineMs, late);
    return sendPriced(request, reply, answer, answer.lasting);
  }

  async #find(url: string, { history, view, question }: ViewRequest, signal: AbortSignal): Promise<Answer> {
    const { cache } = this.#deps;
    const { operation, read, isPaged } = view;
    const toTable = view.toTable && ((body: string) => view.toTable!(body, question.asked, history.network));
    const units = operation.units?.by === 'request' ? operation.units.units : undefined;
    const priced = (body: string, { next }: Paged): PricedBody => {
      return { ...withEtag(body), units, toTable, next };
    };
    const key = questionKey(history.network, operation.operationId, question);
    const hash = history.finalizedHash(question.when);
    const kept = hash === undefined ? undefined : await cache.get(`${key}:${hash}`);
    if (kept !== undefined) {
      const record = isPaged ? (JSON.parse(kept) as Paged) : {};
      return this.#keep(url, priced(kept, record));
    }
    const { answer: fields, block, lasting } = await history.read(question, read, signal);
    const record = { ...networkFields(history.network), ...fields };
    const answer = priced(JSON.stringify(record), fields);
    if (!lasting) return { ...answer, lasting };
    void cache.set(`${key}:${block.hash}`, answer.body);
    return this.#keep(url, answer);
  }

  #keep(url: string, answer: PricedBody): Answer {
    this.#deps.keepImmutable(url, answer);
    return { ...answer, lasting: true };
  }
}
