import type { components } from '@hindsight/client';
import { z } from 'zod';
import { amount, formattedAmount, list, overTime } from '../outputs.ts';
import { bound, end, step, token, toOf, wallet } from '../parameters.ts';
import { formatted, resolvedAt, tokenOverTime, urlOf } from '../source.ts';
import { ask, defineTool } from '../tool.ts';

type Series = components['schemas']['BalanceSeries'];

export const balanceSeries = defineTool({
  name: 'balance_series',
  title: 'Read a balance over time',
  description:
    'A wallet’s balance at regular moments between two: for charts, yearly reports, trends. Give step or points. To find ' +
    'the exact blocks of changes use balance_changes.',
  input: {
    token,
    holder: wallet,
    from: bound.describe('The first moment: a block number, or an ISO 8601 date in UTC.'),
    to: end,
    step: step
      .optional()
      .describe('Distance between points: 1h, 6h, 1d, 1w, 1M, or a number of blocks; at most 200 points.'),
    points: z.int().min(2).max(200).optional().describe('In place of step: how many points, spread evenly.'),
  },
  output: {
    ...overTime,
    finalized: z.boolean(),
    points: list({
      block: z.int(),
      date: z.string(),
      balance: amount.nullable(),
      balance_formatted: formattedAmount,
    }),
    source_url: z.string(),
  },
  async run(api, { token: token_address, holder, from, to: given, step, points }) {
    const to = toOf(given);
    const spread = step === undefined ? { points: points ?? 12 } : { step, points };
    const series = await ask<Series>(api, '/balance/series', { token_address, holder, from, to, ...spread });
    const named = await tokenOverTime(api, token_address, series);
    const last = series.points.at(-1);
    return {
      ...named,
      ...resolvedAt(holder, series),
      finalized: series.finalized,
      points: series.points.map(({ date, block, block_hash, balance, ...more }) => ({
        date,
        block,
        block_hash,
        balance,
        balance_formatted: formatted(balance, named),
        ...('reason' in more ? { reason: more.reason } : {}),
      })),
      // Without `to` the end moves on: what was last is named.
      source_url: urlOf(api, '/balance/series', {
        token_address,
        holder: series.holder,
        from,
        to: to ?? last?.instant ?? last?.block,
        ...spread,
      }),
    };
  },
});
