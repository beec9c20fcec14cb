import { OPERATIONS } from '@hindsight/api/operations.ts';
import { wordToAddress } from '@hindsight/chain/address.ts';
import { addressParam, tokenIdParam } from '@hindsight/chain/params.ts';
import { ownerOfCall } from '@hindsight/chain/tokens/token-calls.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import { pinnedFields } from '../domain/pinned.ts';
import { requireStandard, tokenFields } from '../domain/token.ts';
import { address, pinned, standard, token, tokenId } from './fields.ts';
import { QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import { defineView } from './view.ts';

/** GET /v1/{network}/nft/owner: who owned an ERC-721 token at a block. */
export const nftOwner = defineView({
  operation: {
    ...OPERATIONS.getNftOwner,
    tag: 'NFTs',
    summary: 'Get the owner of an ERC-721 token',
    description: 'Returns the account that owned one ERC-721 token at any block or date.',
    success: { name: 'NftOwner', description: 'The owner at the block' },
    codes: [...TOKEN_CODES, 'no_owner'],
    errors: {
      ...QUESTION_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also if the contract is not an ERC-721`,
      404: 'No such network, no contract or no token with this id at the block, or a block above the head',
    },
  },
  parameters: {
    token_address: addressParam.meta({ description: 'The ERC-721 contract' }),
    token_id: tokenIdParam.meta({ description: 'The id of the token, as a decimal number' }),
  },
  record: {
    token_id: tokenId,
    ...token,
    token_type: standard('erc721'),
    ...pinned,
    owner: address('The account that owned the token'),
  },
  async read(state, { token_address, token_id }) {
    const reading = await state.token(ownerOfCall(token_address, token_id));
    const { number } = state.pinned;
    const type = requireStandard(reading, number, ['erc721'], 'only ERC-721 tokens have one owner each');
    const owner = wordToAddress(reading.value);
    if (owner === null) {
      throw notFound(
        'no_owner',
        `There is no token ${token_id} of ${reading.token} at block ${number}: it has no owner`,
      );
    }
    return {
      token_id: token_id.toString(),
      ...tokenFields(type, reading),
      ...pinnedFields(state.pinned),
      owner,
    };
  },
});
