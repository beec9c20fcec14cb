/** What the endpoints of this service share: the parameters that name a block, and the way of an answer. */
import { badRequest, gatewayTimeout } from '@hindsight/shared/errors.ts';
import { withDeadline } from '@hindsight/shared/deadline.ts';
import { sendCacheable, withEtag, type CacheableBody } from '@hindsight/shared/http/cacheable.ts';
import type { ImmutableAnswers } from '@hindsight/shared/http/immutable-answers.ts';
import { accountParam, dateParam, heightParam, networkParam } from '@hindsight/shared/http/params.ts';
import { SingleFlight } from '@hindsight/shared/single-flight.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { PinnedFields, PinnedReading, When } from '../domain/pinned.ts';
import type { AnswerCache, History } from '../ports.ts';

/** The path's parameters. */
export const pathParams = z.object({ network: networkParam });

/** An account as a parameter. */
export const account = (description: string): typeof accountParam => accountParam.meta({ description });

/** The parameters that say which block is meant. */
export const whenParams = {
  block_height: heightParam.optional().meta({ description: 'The block; the latest one when not given' }),
  date: dateParam.optional().meta({
    description:
      'ISO 8601 (UTC where no zone is given): the last block at or before it; instead of block_height',
  }),
};

interface WhenQuery {
  readonly block_height?: number | undefined;
  readonly date?: number | undefined;
}

/** Reads `whenParams`. @throws {ApiError} 400 when both are given */
export function readWhen({ block_height: height, date }: WhenQuery): When {
  if (height !== undefined && date !== undefined) {
    throw badRequest('date: given together with block_height; expected one of them');
  }
  if (height !== undefined) return { height };
  return date === undefined ? 'latest' : { date };
}

/** What every question can be refused with. */
export const QUESTION_ERRORS = {
  400: 'A parameter is malformed, unknown or given twice; the message names it and says what is expected',
  422: 'The name is kept off-chain where it is not asked for',
  502: 'No node has the state of that block: never answered with another block’s',
  503: 'No node can answer at the moment; `Retry-After` says when to try again',
  504: 'The answer took too long',
} as const;

/** How questions are answered. */
export interface AnsweringParts {
  readonly history: History;
  readonly cache: AnswerCache;
  readonly immutable: ImmutableAnswers;
  /** Milliseconds for a request in all. */
  readonly deadlineMs: number;
}

/** A question as an endpoint understood it. */
export interface Question {
  readonly when: When;
  /** Names everything that the answer depends on but the block. */
  readonly key: string;
  /** Reads the chain, as long as somebody waits for it. @throws {ApiError} */
  read(signal: AbortSignal): Promise<Found>;
}

/** The record that answers a question. */
interface Found {
  readonly record: PinnedFields;
  /** Whether the same question will be answered alike for ever. */
  readonly lasting: boolean;
}

/** The way from a reading to a record. */
export async function found<R extends PinnedReading>(
  reading: Promise<R>,
  toRecord: (reading: R) => PinnedFields,
): Promise<Found> {
  const read = await reading;
  return { record: toRecord(read), lasting: read.lasting };
}

interface Answer extends CacheableBody {
  readonly lasting: boolean;
}

/** Answers questions: from what is kept, together with equal ones that are under way, or from the chain. */
export class Answering {
  readonly #parts: AnsweringParts;
  readonly #underWay = new SingleFlight<string, Answer>();

  constructor(parts: AnsweringParts) {
    this.#parts = parts;
  }

  /** Answers a request within its deadline. When all who asked have left or been told, the nodes are left alone too. */
  async answer(request: FastifyRequest, reply: FastifyReply, question: Question): Promise<FastifyReply> {
    const { deadlineMs } = this.#parts;
    const late = (): Error => gatewayTimeout(`The answer took longer than ${deadlineMs} ms.`);
    const share = this.#underWay.join(request.url, (signal) => this.#find(request.url, question, signal));
    reply.raw.once('close', share.leave);
    const answer = await withDeadline(share.result, deadlineMs, late);
    return sendCacheable(request, reply, answer, answer.lasting);
  }

  async #find(url: string, question: Question, signal: AbortSignal): Promise<Answer> {
    const { when, key } = question;
    const { history, cache } = this.#parts;
    const hash = history.finalizedHash(when);
    const kept = hash === undefined ? undefined : await cache.get(`${key}:${hash}`);
    if (kept !== undefined) return this.#keep(url, withEtag(kept));
    const { record, lasting } = await question.read(signal);
    const answer = withEtag(JSON.stringify(record));
    if (!lasting) return { ...answer, lasting };
    void cache.set(`${key}:${record.block_hash}`, answer.body);
    return this.#keep(url, answer);
  }

  #keep(url: string, answer: CacheableBody): Answer {
    this.#parts.immutable.keep(url, answer);
    return { ...answer, lasting: true };
  }
}
