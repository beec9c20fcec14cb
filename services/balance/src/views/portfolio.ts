import { OPERATIONS } from '@hindsight/api/operations.ts';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { account, pathParams, readWhen, whenParams } from './parameters.ts';
import { QUESTION_CODES, QUESTION_ERRORS } from './refusals.ts';
import { portfolioRecord } from './records.ts';

const querystring = z.strictObject({
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/portfolio: what a wallet held at a block. */
export const portfolio: Endpoint<z.output<typeof querystring>> = {
  operation: {
    ...OPERATIONS.getPortfolio,
    tag: 'Balances',
    summary: 'Get portfolio',
    description:
      'Returns the ether and every ERC-20, ERC-721 and ERC-1155 token that a wallet held at any block or date, exact to ' +
      'the unit. Of an ERC-721 contract it says how many tokens the wallet had, not which; of an ERC-1155 contract there ' +
      'is a row for each id. ' +
      'Events up to that block only say which contracts are asked; each balance is read from the state at the block. ' +
      '`asked` says which contracts those were, and from which block on events were searched: the answer is exact for them ' +
      'and claims nothing about others. At most 2,000 contracts and ids are asked, those with the newest events; ' +
      'the contract with the most ids is cut first, so that no contract takes the room of others. Costs 5 units.',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'Portfolio',
      schema: portfolioRecord,
      cacheable: true,
      description: 'What the wallet held at the block',
    },
    codes: QUESTION_CODES,
    errors: {
      ...QUESTION_ERRORS,
      404: 'No such network, a name without an address at the block, or a block above the head',
    },
  },
  toQuestion: ({ holder, ...when }) => ({ kind: 'portfolio', accounts: { holder }, when: readWhen(when) }),
};
