import type { components } from '@hindsight/client';
import { z } from 'zod';
import { amount, formattedAmount, list, overTime } from '../outputs.ts';
import { bound, end, step, token, toOf, wallet } from '../parameters.ts';
import { formatted, resolvedAt, tokenOverTime, urlOf } from '../source.ts';
import { ask, defineTool } from '../tool.ts';

type Statement = components['schemas']['BalanceStatement'];

/** A balance over periods, and what moved it. */
export const statement = defineTool({
  name: 'statement',
  title: 'Write a statement',
  description:
    'A wallet’s balance at the beginning and the end of each period, with what came in and went out: opening + in − out + ' +
    'unexplained = closing, always. `unexplained` is what no event names: rebases, fees, most of ether. For tax years and ' +
    'audits. Where a period has no `in` and `out`, ask about that period alone.',
  input: {
    token,
    holder: wallet,
    from: bound.describe('The beginning: a block number, or an ISO 8601 date in UTC.'),
    to: end,
    step: step.describe(
      'Length of a period: 1h, 6h, 1d, 1w, 1M, or a number of blocks; at most 100 periods.',
    ),
  },
  output: {
    ...overTime,
    finalized: z.boolean(),
    complete: z.boolean(),
    periods: list({
      from_block: z.int(),
      to_block: z.int(),
      opening: amount.nullable(),
      closing: amount.nullable(),
      opening_formatted: formattedAmount,
      in_formatted: formattedAmount,
      out_formatted: formattedAmount,
      unexplained_formatted: formattedAmount,
      closing_formatted: formattedAmount,
    }),
    source_url: z.string(),
  },
  async run(api, { token: token_address, holder, from, to, step }) {
    const query = { token_address, holder, from, to: toOf(to), step };
    const answer = await ask<Statement>(api, '/balance/statement', query);
    const named = await tokenOverTime(api, token_address, answer);
    return {
      ...named,
      ...resolvedAt(holder, answer),
      finalized: answer.finalized,
      complete: answer.complete,
      periods: answer.periods.map((one) => ({
        ...one,
        opening_formatted: formatted(one.opening, named),
        in_formatted: formatted(one.in, named),
        out_formatted: formatted(one.out, named),
        unexplained_formatted: formatted(one.unexplained, named),
        closing_formatted: formatted(one.closing, named),
      })),
      source_url: urlOf(api, '/balance/statement', {
        ...query,
        holder: answer.holder,
        to: query.to ?? answer.periods.at(-1)!.to_block,
      }),
    };
  },
});
