import { z } from 'zod';
import { at, partStart, wallet, whenOf } from '../parameters.ts';
import { asked, formattedAmount, list, next, source } from '../outputs.ts';
import { PAGE, pageOf } from '../page.ts';
import { MOST_PAGES, more, moreOf, readAllowances, scopeOf } from '../pages.ts';
import { formatted, sourceAtHash } from '../source.ts';
import { defineTool } from '../tool.ts';

/** Spenders' allowances at a block. */
export const allowances = defineTool({
  name: 'allowances',
  title: 'List allowances',
  description:
    'Everything that spenders could take from a wallet at a moment: ERC-20 allowances (`via` the token or Permit2, where they ' +
    `may have \`expired\`) and operators of NFTs, ${PAGE} in an ` +
    `answer. \`asked\` says from which blocks candidates come, and whether that is complete; up to ${MOST_PAGES} pages of 2,000 ` +
    `candidates are read. \`asked.unread_count\` of them gave no answer and may be open; \`asked.unread\` names the first ${PAGE}.`,
  input: { owner: wallet, at, ...partStart },
  output: {
    owner: z.string(),
    total: z.int(),
    allowances: list({ spender: z.string(), allowance_formatted: formattedAmount }),
    asked,
    more,
    source,
    next,
  },
  async run(api, { owner, at: when, ...start }) {
    const answer = await readAllowances(api, { owner, ...whenOf(when) });
    const again = { owner: answer.owner, at: answer.block_hash };
    const { items, isOther, ...page } = pageOf('allowances', answer.allowances, start, again);
    return {
      owner: answer.owner,
      ...page,
      allowances: items.map((one) => ({
        ...one,
        allowance_formatted:
          one.allowance === null ? 'all tokens of the contract' : formatted(one.allowance, one),
      })),
      asked: scopeOf(answer.asked),
      more: moreOf(answer, { isOther }),
      source: sourceAtHash(api, answer, '/allowance/list', { owner: answer.owner }),
    };
  },
});
