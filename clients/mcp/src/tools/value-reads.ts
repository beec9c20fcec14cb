import { parseWhen } from '@hindsight/client';
import { z } from 'zod';
import { formattedAmount, list, source } from '../outputs.ts';
import { at, token } from '../parameters.ts';
import { sourceAtHash } from '../source.ts';
import { defineTool } from '../tool.ts';

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
  async run(api, { token, at: when }) {
    const { client, signal } = api;
    const answer = await client.value.reads({ token, ...parseWhen(String(when)), signal });
    return {
      token: answer.token_address,
      reads: answer.reads.map((one) => ({
        ...one,
        format: undefined,
        answer: one.answer?.toString() ?? null,
        answer_formatted: one.format() === '' ? null : [one.format(), one.quote].filter(Boolean).join(' '),
      })),
      source: sourceAtHash(api, answer, '/value/reads', { token_address: answer.token_address }),
    };
  },
});
