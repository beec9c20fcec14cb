/** The endpoints of this service: their shape. */
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { networkParam } from '@hindsight/chain/params.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { z } from 'zod';
import type { KindQuestion } from '../domain/question.ts';
import type { History } from '../ports.ts';
import type { Answers } from '../routes/answers.ts';

/** A public endpoint: how it is documented, and the question that its parameters ask. */
export interface Endpoint<Query = never> {
  readonly operation: ApiOperation & { readonly querystring: z.ZodObject };
  /** @throws {ApiError} 400 where the parameters contradict each other */
  readonly toQuestion: (query: Query) => KindQuestion;
}

/** Adds an endpoint to the server. @param histories those of the networks that are served, by name */
export function addEndpoint(
  app: HttpServer,
  { operation, toQuestion }: Endpoint,
  histories: ReadonlyMap<string, History>,
  answers: Answers,
): void {
  const { path, querystring } = operation;
  const units = operation.units?.by === 'request' ? operation.units.units : undefined;
  const params = z.object({ network: networkParam(histories) });
  app.get(path, { schema: { params, querystring } }, (request, reply) => {
    // The endpoint's own schema has made this query.
    const question = toQuestion(request.query as never);
    return answers.sendKind(request, reply, { history: request.params.network, question, units });
  });
}
