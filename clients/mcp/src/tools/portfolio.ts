import { z } from 'zod';
import { at, partStart, wallet, whenOf } from '../parameters.ts';
import { amount, asked, formattedAmount, list, next, source } from '../outputs.ts';
import { PAGE, pageOf } from '../page.ts';
import { MOST_PAGES, more, moreOf, readPortfolio, scopeOf } from '../pages.ts';
import { formatted, nativeToken, sourceAtHash } from '../source.ts';
import { defineTool } from '../tool.ts';

/** A wallet's holdings at a block. */
export const portfolio = defineTool({
  name: 'portfolio',
  title: 'List what a wallet held',
  description:
    `The native coin and every token that a wallet held at a moment, ${PAGE} tokens in an answer. \`asked\` says which tokens were ` +
    `looked at, up to ${MOST_PAGES} pages of 2,000 contracts: do not claim that there were no others where it is not complete. ` +
    `Those that are \`unread\` gave no answer and may have been held. It names the first ${PAGE} of each, and has their numbers.`,
  input: { holder: wallet, at, ...partStart },
  output: {
    holder: z.string(),
    native_balance: amount,
    native_balance_formatted: formattedAmount,
    total: z.int(),
    tokens: list({ token_address: z.string(), balance: amount, balance_formatted: formattedAmount }),
    asked,
    more,
    source,
    next,
  },
  async run(api, { holder, at: when, ...start }) {
    const answer = await readPortfolio(api, { holder, ...whenOf(when) });
    const again = { holder: answer.holder, at: answer.block_hash };
    const { items, isOther, ...page } = pageOf('portfolio', answer.tokens, start, again);
    return {
      holder: answer.holder,
      native_balance: answer.native_balance,
      native_balance_formatted: formatted(answer.native_balance, await nativeToken(api)),
      ...page,
      tokens: items.map((one) => ({ ...one, balance_formatted: formatted(one.balance, one) })),
      asked: scopeOf(answer.asked),
      more: moreOf(answer, { isOther }),
      source: sourceAtHash(api, answer, '/portfolio', { holder: answer.holder }),
    };
  },
});
