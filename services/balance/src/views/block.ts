import { OPERATIONS } from '@hindsight/api/operations.ts';
import { z } from 'zod';
import { isoDate } from '../domain/pinned.ts';
import { finalized, hash, time } from './fields.ts';
import { QUESTION_ERRORS } from './refusals.ts';
import { defineView } from './view.ts';

/** GET /v1/{network}/block: a block by height, date or hash. */
export const block = defineView({
  operation: {
    ...OPERATIONS.getBlock,
    tag: 'Blocks',
    summary: 'Get block',
    description:
      'Returns the number, hash and time of a block: the latest one, the one with a height or a hash, or the last one ' +
      'at or before a date. Its hash names the same block to every endpoint, whatever a height or a date means later.',
    success: { name: 'Block', description: 'The block' },
    errors: {
      400: QUESTION_ERRORS[400],
      404: 'No such network, a block above the head, a date before the first block or in the future, or a hash that is not of the canonical chain',
      502: 'No node gave a usable answer',
      503: QUESTION_ERRORS[503],
      504: QUESTION_ERRORS[504],
    },
  },
  parameters: {},
  record: {
    block_number: z.int().meta({ description: 'The block’s height' }),
    block_hash: hash('The block’s hash, which every endpoint takes in place of a height or a date'),
    parent_hash: hash('The hash of the block before it'),
    date: time,
    finalized,
  },
  async read(state) {
    const { parentHash } = await state.block();
    const { number, hash, timestamp, finalized } = state.pinned;
    return {
      block_number: number,
      block_hash: hash,
      parent_hash: parentHash,
      date: isoDate(timestamp),
      finalized,
    };
  },
});
