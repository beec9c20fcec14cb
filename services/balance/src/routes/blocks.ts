import { OPERATIONS } from '@hindsight/api/operations.ts';
import { dateParam } from '@hindsight/chain/dates/date-param.ts';
import { NODE_CODES, type ApiOperation } from '@hindsight/http/api-operation.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { z } from 'zod';
import { isoDate } from '../domain/pinned.ts';
import type { History } from '../ports.ts';
import { block } from '../views/block.ts';
import { errorInPlace, network } from '../views/fields.ts';
import type { Answers } from './answers.ts';
import { eachNetwork } from './each-network.ts';

const querystring = z.strictObject({
  date: dateParam.meta({ description: 'An ISO 8601 date, in UTC if it names no zone' }),
});

/** GET /v1/blocks: one date over all networks. */
export const blocks: ApiOperation = {
  ...OPERATIONS.getBlocksAtDate,
  tag: 'Networks',
  summary: 'Get the blocks of a date',
  description:
    'Returns, for every network that is served, the last block at or before a moment: with these hashes one date means the ' +
    'same state everywhere, whatever is asked later. A network that had no block yet, or whose nodes are unavailable, has an `error` ' +
    'in place of its block.',
  querystring,
  success: {
    status: 200,
    name: 'Blocks',
    schema: z.object({
      date: z.iso.datetime({ precision: 3 }).meta({ description: 'The moment that was asked about' }),
      blocks: z
        .array(
          z.union([
            block.operation.success.schema,
            z.object(network).partial({ chain_id: true }).extend({ error: errorInPlace }),
          ]),
        )
        .meta({ description: 'One of each network, in the order of GET /v1/networks' }),
    }),
    cacheable: true,
    description: 'The blocks',
  },
  codes: [
    'invalid_parameter',
    'missing_parameter',
    'unknown_parameter',
    'repeated_parameter',
    'no_block_at_date',
    ...NODE_CODES,
    'deadline_exceeded',
  ],
  errors: { 400: 'The date is missing or malformed, or there is another parameter; the message names it' },
};

/** The share of the deadline that a network has: the answer of the others must still go out. */
const SHARE = 0.8;

/** Adds the route. @param histories those of the networks that are served */
export function addBlocks(
  app: HttpServer,
  histories: readonly History[],
  answers: Answers,
  deadlineMs: number,
): void {
  app.get(blocks.path, { schema: { querystring } }, (request, reply) =>
    answers.sendComputed(request, reply, async (signal) => {
      const { date } = request.query;
      const question = { asked: {}, when: { date } };
      const parts = await eachNetwork(
        histories,
        { signal, withinMs: deadlineMs * SHARE },
        async (history, own) => (await history.read(question, block.read, own)).answer,
      );
      return { record: { date: isoDate(date), blocks: parts }, units: 1, lasting: false };
    }),
  );
}
