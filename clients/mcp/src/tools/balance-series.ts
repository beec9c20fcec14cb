import type { components } from '@hindsight/client';
import { z } from 'zod';
import { bound, token, wallet } from '../parameters.ts';
import { formatted, nativeToken, resolvedAt, urlOf } from '../source.ts';
import { ask, defineTool } from '../tool.ts';

type Series = components['schemas']['BalanceSeries'];

/** A balance over time. */
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
    to: bound.optional().describe('The last moment: a block number or a date. Default: the latest block.'),
    step: z
      .string()
      .regex(/^(1h|6h|1d|1w|1M|[1-9]\d{0,11})$/)
      .optional()
      .describe('Distance between points: 1h, 6h, 1d, 1w, 1M, or a number of blocks; at most 200 points.'),
    points: z.int().min(2).max(200).optional().describe('In place of step: how many points, spread evenly.'),
  },
  async run(api, { token: token_address, holder, from, to, step, points }) {
    const spread = step === undefined ? { points: points ?? 12 } : { step, points };
    const series = await ask<Series>(api, '/balance/series', { token_address, holder, from, to, ...spread });
    const { token_decimals: decimals, token_symbol: symbol } =
      'token_decimals' in series ? series : await nativeToken(api);
    const last = series.points.at(-1);
    return {
      token: token_address,
      token_symbol: symbol,
      token_decimals: decimals,
      holder: series.holder,
      ...resolvedAt(holder, series),
      finalized: series.finalized,
      points: series.points.map(({ date, block, block_hash, balance, ...more }) => ({
        date,
        block,
        block_hash,
        balance,
        balance_formatted: formatted(balance, decimals, symbol),
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
