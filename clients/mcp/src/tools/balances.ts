import type { components } from '@hindsight/client';
import { z } from 'zod';
import { adviceOn } from '../faults.ts';
import { amount, formattedAmount, list, source } from '../outputs.ts';
import { at, token, wallet, whenOf } from '../parameters.ts';
import { formatted, nativeToken, sourceAtHash } from '../source.ts';
import { defineTool, post, type Api } from '../tool.ts';

type Row = components['schemas']['BalanceBatch'][number];

export const balances = defineTool({
  name: 'balances',
  title: 'Read balances',
  description:
    'What wallets held of tokens or ether at a moment: up to 100 questions in one call, each with a moment of its own. ' +
    'Use this for one balance too. For a wallet over time use balance_series.',
  input: {
    questions: z
      .array(z.strictObject({ token, holder: wallet, at }))
      .min(1)
      .max(100)
      .describe('One entry for each balance; answers come in the same order.'),
  },
  output: {
    answers: list({
      holder: z.string(),
      balance: amount.optional(),
      balance_formatted: formattedAmount.optional(),
      source: source.optional(),
      error: z.string().optional(),
    }),
  },
  async run(api, { questions }) {
    const rows = await post<Row[]>(
      api,
      '/balance/batch',
      questions.map(({ token: token_address, holder, at: when }) => ({
        token_address,
        holder,
        ...whenOf(when),
      })),
    );
    const answers: object[] = [];
    // In turn: the first asks for the native coin.
    for (const [i, row] of rows.entries()) answers.push(await toAnswer(api, row, questions[i]?.holder ?? ''));
    return { answers };
  },
});

async function toAnswer(api: Api, row: Row, asked: string): Promise<object> {
  if ('error' in row) {
    const { statusCode: status, ...fault } = row.error;
    return { holder: asked, error: adviceOn({ ...fault, status }) };
  }
  const { holder, balance } = row;
  if (!('token_address' in row)) {
    const coin = await nativeToken(api);
    return {
      token: 'native',
      ...coin,
      holder,
      balance,
      balance_formatted: formatted(balance, coin),
      source: sourceAtHash(api, row, '/balance/native', { holder }),
    };
  }
  const { token_address, token_name, token_symbol, token_type, token_decimals } = row;
  return {
    token: token_address,
    token_name,
    token_symbol,
    token_type,
    token_decimals,
    holder,
    balance,
    balance_formatted: formatted(balance, row),
    source: sourceAtHash(api, row, '/balance/single', { token_address, holder }),
  };
}
