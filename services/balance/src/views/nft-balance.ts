import { OPERATIONS } from '@hindsight/api/operations.ts';
import { addressParam, tokenIdParam } from '@hindsight/chain/params.ts';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { account, pathParams, readWhen, whenParams } from './parameters.ts';
import { QUESTION_CODES, QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import { nftBalanceRecord } from './records.ts';

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The ERC-1155 contract' }),
  holder: account('The wallet: an address or an ENS name'),
  token_id: tokenIdParam.meta({ description: 'The id of the token, as a decimal number' }),
  ...whenParams,
});

/** GET /v1/{network}/nft/balance: a holder's balance of one ERC-1155 token id at a block. */
export const nftBalance: Endpoint<z.output<typeof querystring>> = {
  operation: {
    ...OPERATIONS.getNftBalance,
    tag: 'NFTs',
    summary: 'Get ERC-1155 balance',
    description:
      'Returns how many of one ERC-1155 token id a wallet held at any block or date. A balance of zero is an answer: 200 ' +
      'with "0".',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'NftBalance',
      schema: nftBalanceRecord,
      cacheable: true,
      description: 'The balance at the block',
    },
    codes: [...QUESTION_CODES, ...TOKEN_CODES, 'no_balance'],
    errors: {
      ...QUESTION_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also if the contract is not an ERC-1155`,
      404: 'No such network, no contract at the block, a name without an address at the block, or a block above the head',
    },
  },
  toQuestion: ({ token_address: token, holder, token_id: tokenId, ...when }) => ({
    kind: 'nft-balance',
    accounts: { token_address: { address: token }, holder },
    tokenId,
    when: readWhen(when),
  }),
};
