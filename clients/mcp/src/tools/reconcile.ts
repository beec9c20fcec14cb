import type { Reconciliation } from '@hindsight/client';
import { z } from 'zod';
import { amount, formattedAmount, list, overTime } from '../outputs.ts';
import { bound, momentOf, token, wallet } from '../parameters.ts';
import { formatted, resolvedAt, tokenOverTime } from '../source.ts';
import { defineTool, post } from '../tool.ts';

/** Books against the chain. */
export const reconcile = defineTool({
  name: 'reconcile',
  title: 'Reconcile books',
  description:
    'Holds booked balances of a wallet against the chain, up to 100 rows. `first_divergence` says between which two blocks ' +
    'they go wrong first, by how much, and which changes there were in between; `cause` and `block` name the one that ' +
    'accounts for it. Where its `complete` is false, changes may be missing.',
  input: {
    token,
    holder: wallet,
    rows: z
      .array(
        z.strictObject({
          at: bound,
          balance: z
            .string()
            .regex(/^\d{1,78}$/)
            .describe('What the books say, in the smallest unit.'),
        }),
      )
      .min(1)
      .max(100)
      .describe('Balances at moments, in any order.'),
  },
  output: {
    ...overTime,
    equal: z.boolean(),
    finalized: z.boolean(),
    rows: list({ block: z.int(), booked: amount, balance: amount.nullable(), equal: z.boolean().nullable() }),
    first_divergence: z
      .looseObject({
        by_block: z.int(),
        difference: z.string(),
        difference_formatted: formattedAmount,
        cause: z.string().nullable(),
        block: z.int().nullable(),
        complete: z.boolean(),
      })
      .nullable(),
  },
  async run(api, { token: token_address, holder, rows }) {
    const answer = await post<Reconciliation>(api, '/balance/reconcile', {
      token_address,
      holder,
      rows: rows.map(({ at, balance }) => ({ ...momentOf(at), balance })),
    });
    const named = await tokenOverTime(api, token_address, answer);
    const { first_divergence: first } = answer;
    return {
      ...named,
      ...resolvedAt(holder, answer),
      equal: answer.equal,
      finalized: answer.finalized,
      rows: answer.rows,
      first_divergence: first && { ...first, difference_formatted: formatted(first.difference, named) },
    };
  },
});
