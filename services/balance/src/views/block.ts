import { OPERATIONS } from '@hindsight/api/operations.ts';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { pathParams, readWhen, whenParams } from './parameters.ts';
import { QUESTION_CODES, QUESTION_ERRORS } from './refusals.ts';
import { blockRecord } from './records.ts';

const querystring = z.strictObject(whenParams);

/** GET /v1/{network}/block: a block by height, date or hash. */
export const block: Endpoint<z.output<typeof querystring>> = {
  operation: {
    ...OPERATIONS.getBlock,
    tag: 'Blocks',
    summary: 'Get block',
    description:
      'Returns the number, hash and time of a block: the latest one, the one with a height or a hash, or the last one ' +
      'at or before a date. Its hash names the same block to every endpoint, whatever a height or a date means later.',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'Block',
      schema: blockRecord,
      cacheable: true,
      description: 'The block',
    },
    codes: QUESTION_CODES,
    errors: {
      400: QUESTION_ERRORS[400],
      404: 'No such network, a block above the head, a date before the first block or in the future, or a hash that is not of the canonical chain',
      502: 'No node gave a usable answer',
      503: QUESTION_ERRORS[503],
      504: QUESTION_ERRORS[504],
    },
  },
  toQuestion: (when) => ({ kind: 'block', accounts: {}, when: readWhen(when) }),
};
