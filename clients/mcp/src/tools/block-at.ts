import type { components } from '@hindsight/client';
import { z } from 'zod';
import { at, whenOf } from '../parameters.ts';
import { urlOf } from '../source.ts';
import { ask, defineTool } from '../tool.ts';

export const blockAt = defineTool({
  name: 'block_at',
  title: 'Find a block',
  description:
    'Finds the block of a date, a number or a hash: its number, hash, time, and whether it is final.',
  input: { at },
  output: { block_number: z.int(), block_hash: z.string(), finalized: z.boolean(), source_url: z.string() },
  async run(api, { at: when }) {
    const block = await ask<components['schemas']['Block']>(api, '/block', whenOf(when));
    return { ...block, source_url: urlOf(api, '/block', { block_hash: block.block_hash }) };
  },
});
