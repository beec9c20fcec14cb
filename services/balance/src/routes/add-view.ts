import { networkParam, type WhenQuery } from '@hindsight/chain/params.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { z } from 'zod';
import type { ListCursor } from '../domain/list-page.ts';
import type { History } from '../ports.ts';
import { readWhen } from '../views/parameters.ts';
import type { RangeView, View } from '../views/view.ts';
import type { Answers } from './answers.ts';

/** Adds a view to the server. @param histories those of the networks that are served, by name */
export function addView(
  app: HttpServer,
  view: View,
  histories: ReadonlyMap<string, History>,
  answers: Answers,
): void {
  const { path, querystring } = view.operation;
  const params = z.object({ network: networkParam(histories) });
  app.get(path, { schema: { params, querystring } }, (request, reply) => {
    const { block_height, date, block_hash, ...asked } = request.query as WhenQuery & { cursor?: ListCursor };
    const when = readWhen({ block_height, date, block_hash });
    const { cursor } = asked;
    // A further page is of the first one's block: `latest` and a recent date may mean another by then.
    const isMoving = when === 'latest' || 'date' in when;
    // The view's own schema has read these.
    const question = {
      asked: asked as never,
      when: cursor !== undefined && isMoving ? { hash: cursor.at } : when,
    };
    return answers.send(request, reply, { history: request.params.network, view, question });
  });
}

/** Adds a question about a range. @param histories those of the networks that are served, by name */
export function addRange(
  app: HttpServer,
  { operation, read }: RangeView,
  histories: ReadonlyMap<string, History>,
  answers: Answers,
): void {
  const { path, querystring } = operation;
  const params = z.object({ network: networkParam(histories) });
  app.get(path, { schema: { params, querystring } }, (request, reply) =>
    // The view's own schema has read these.
    answers.sendComputed(request, reply, (signal) =>
      read(request.params.network, request.query as never, signal),
    ),
  );
}
