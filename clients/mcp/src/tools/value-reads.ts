import type { components } from '@hindsight/client';
import { z } from 'zod';
import { formattedAmount, list, source } from '../outputs.ts';
import { at, token, whenOf } from '../parameters.ts';
import { formatted, sourceAtHash } from '../source.ts';
import { ask, defineTool } from '../tool.ts';

type Answer = components['schemas']['ValueReads'];

/** Readings of what contracts said a token was worth. */
export const valueReads = defineTool({
  name: 'value_reads',
  title: 'Read what a token was worth',
  description:
    'What contracts said a token was worth at a moment: the worth of a vault’s share, and the feeds, pools and rates that the ' +
    'operator has chosen. None is a price of the API: name the contract and the call. An answer of null has its reason, and ' +
    'an answer that is "stale" is old. Of a pool the answer is a mean tick; of any other whose decimals are null, the size is ' +
    'not known. Where there are no reads, do not guess.',
  input: { token, at },
  output: {
    token: z.string(),
    reads: list({
      name: z.string(),
      contract: z.string(),
      call: z.string(),
      answer: z.string().nullable(),
      answer_formatted: formattedAmount,
      reason: z.string().nullable(),
    }),
    source,
  },
  async run(api, { token: token_address, at: when }) {
    const answer = await ask<Answer>(api, '/value/reads', { token_address, ...whenOf(when) });
    return {
      token: answer.token_address,
      reads: answer.reads.map((one) => ({
        ...one,
        answer_formatted: isSized(one)
          ? formatted(one.answer, { token_decimals: one.decimals, token_symbol: one.quote ?? '' })
          : null,
      })),
      source: sourceAtHash(api, answer, '/value/reads', { token_address: answer.token_address }),
    };
  },
});

/** True if it is known how large an answer is: a tick has no decimals. */
function isSized({ kind, decimals }: Answer['reads'][number]): boolean {
  return decimals !== null || kind === 'uniswap-v3-twap';
}
