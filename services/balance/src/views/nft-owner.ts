import { OPERATIONS } from '@hindsight/api/operations.ts';
import { addressParam, tokenIdParam } from '@hindsight/chain/params.ts';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { pathParams, readWhen, whenParams } from './parameters.ts';
import { QUESTION_CODES, QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import { nftOwnerRecord } from './records.ts';

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The ERC-721 contract' }),
  token_id: tokenIdParam.meta({ description: 'The id of the token, as a decimal number' }),
  ...whenParams,
});

/** GET /v1/{network}/nft/owner: who owned an ERC-721 token at a block. */
export const nftOwner: Endpoint<z.output<typeof querystring>> = {
  operation: {
    ...OPERATIONS.getNftOwner,
    tag: 'NFTs',
    summary: 'Get the owner of an ERC-721 token',
    description: 'Returns the account that owned one ERC-721 token at any block or date.',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'NftOwner',
      schema: nftOwnerRecord,
      cacheable: true,
      description: 'The owner at the block',
    },
    codes: [...QUESTION_CODES, ...TOKEN_CODES, 'no_owner'],
    errors: {
      ...QUESTION_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also if the contract is not an ERC-721`,
      404: 'No such network, no contract or no token with this id at the block, or a block above the head',
    },
  },
  toQuestion: ({ token_address: token, token_id: tokenId, ...when }) => ({
    kind: 'nft-owner',
    accounts: { token_address: { address: token } },
    tokenId,
    when: readWhen(when),
  }),
};
