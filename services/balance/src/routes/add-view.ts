import { networkParam, type WhenQuery } from '@hindsight/chain/params.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { z } from 'zod';
import type { History } from '../ports.ts';
import { readWhen } from '../views/parameters.ts';
import type { View } from '../views/view.ts';
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
    const { block_height, date, block_hash, ...asked } = request.query as WhenQuery;
    // The view's own schema has read these.
    const question = { asked: asked as never, when: readWhen({ block_height, date, block_hash }) };
    return answers.send(request, reply, { history: request.params.network, view, question });
  });
}
