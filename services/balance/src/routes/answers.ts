import { withDeadline } from '@hindsight/kernel/deadline.ts';
import { gatewayTimeout } from '@hindsight/kernel/errors.ts';
import { sendCacheable, withEtag } from '@hindsight/http/cacheable.ts';
import { setUnits } from '@hindsight/http/units.ts';
import type { CostedBody, ImmutableAnswers } from './immutable-answers.ts';
import { SingleFlight } from '@hindsight/kernel/single-flight.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { questionKey, toRecord, type Question } from '../domain/question.ts';
import type { AnswerCache, History } from '../ports.ts';

/** Dependencies of the answers. */
export interface AnswersDeps {
  readonly cache: AnswerCache;
  readonly immutable: ImmutableAnswers;
  /** Milliseconds for a request in all. */
  readonly deadlineMs: number;
}

/** What is asked, and what it costs by the answer's body. */
export interface Asked {
  readonly history: History;
  readonly question: Question;
  readonly units?: ((body: string) => number) | undefined;
}

interface Answer extends CostedBody {
  /** Whether the same question will always have this answer. */
  readonly lasting: boolean;
}

/** Answers questions: from a cache, from an equal question under way, or from the chain. */
export class Answers {
  readonly #deps: AnswersDeps;
  /** By URL, which names the network. */
  readonly #underWay = new SingleFlight<string, Answer>();

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
  }

  /** Answers a request within its deadline. Once all callers have left or timed out, no node is asked further. */
  async send(request: FastifyRequest, reply: FastifyReply, asked: Asked): Promise<FastifyReply> {
    const { deadlineMs } = this.#deps;
    const late = (): Error => gatewayTimeout(`The answer took longer than ${deadlineMs} ms.`);
    const { url } = request;
    const share = this.#underWay.join(url, (signal) => this.#find(url, asked, signal));
    reply.raw.once('close', share.leave);
    const answer = await withDeadline(share.result, deadlineMs, late);
    if (answer.units !== undefined) setUnits(reply, answer.units);
    return sendCacheable(request, reply, answer, answer.lasting);
  }

  async #find(url: string, { history, question, units }: Asked, signal: AbortSignal): Promise<Answer> {
    const { cache } = this.#deps;
    const key = questionKey(history.network, question);
    const hash = history.finalizedHash(question.when);
    const kept = hash === undefined ? undefined : await cache.get(`${key}:${hash}`);
    if (kept !== undefined) return this.#keep(url, { ...withEtag(kept), units: units?.(kept) });
    const reading = await history.read(question, signal);
    const body = JSON.stringify(toRecord(history.network, reading));
    const answer = { ...withEtag(body), units: units?.(body) };
    if (!reading.lasting) return { ...answer, lasting: false };
    void cache.set(`${key}:${reading.block.hash}`, body);
    return this.#keep(url, answer);
  }

  #keep(url: string, answer: CostedBody): Answer {
    this.#deps.immutable.keep(url, answer);
    return { ...answer, lasting: true };
  }
}
