import { OPERATIONS } from '@hindsight/api/operations.ts';
import { addressParam, tokenIdParam } from '@hindsight/chain/params.ts';
import { itemBalanceCall } from '@hindsight/chain/tokens/token-calls.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import { pinnedFields } from '../domain/pinned.ts';
import { requireStandard, tokenFields } from '../domain/token.ts';
import { amount, holder, pinned, standard, token, tokenId } from './fields.ts';
import { account } from './parameters.ts';
import { QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import { defineView } from './view.ts';

/** GET /v1/{network}/nft/balance: a holder's balance of one ERC-1155 token id at a block. */
export const nftBalance = defineView({
  operation: {
    ...OPERATIONS.getNftBalance,
    tag: 'NFTs',
    summary: 'Get ERC-1155 balance',
    description:
      'Returns how many of one ERC-1155 token id a wallet held at any block or date. A balance of zero is an answer: 200 ' +
      'with "0".',
    success: { name: 'NftBalance', description: 'The balance at the block' },
    codes: [...TOKEN_CODES, 'no_balance'],
    errors: {
      ...QUESTION_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also if the contract is not an ERC-1155`,
      404: 'No such network, no contract at the block, a name without an address at the block, or a block above the head',
    },
  },
  parameters: {
    token_address: addressParam.meta({ description: 'The ERC-1155 contract' }),
    holder: account('The wallet: an address or an ENS name'),
    token_id: tokenIdParam.meta({ description: 'The id of the token, as a decimal number' }),
  },
  record: {
    holder,
    token_id: tokenId,
    ...token,
    token_type: standard('erc1155'),
    ...pinned,
    balance: amount('How many tokens of this id the holder had'),
  },
  async read(state, { token_address, holder, token_id }) {
    const reading = await state.token(itemBalanceCall(token_address, holder, token_id));
    const { token, value } = reading;
    const { number } = state.pinned;
    const why = 'only ERC-1155 contracts have a balance for a token id';
    const type = requireStandard(reading, number, ['erc1155'], why);
    if (value === undefined) {
      throw notFound(
        'no_balance',
        `The token ${token_id} of ${token} has no balance for ${holder} at block ${number}`,
      );
    }
    return {
      holder,
      token_id: token_id.toString(),
      ...tokenFields(type, reading),
      ...pinnedFields(state.pinned),
      balance: value.toString(),
    };
  },
});
