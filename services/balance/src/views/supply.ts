import { OPERATIONS } from '@hindsight/api/operations.ts';
import { addressParam } from '@hindsight/chain/params.ts';
import { unusedAddress } from '@hindsight/chain/proofs/slots-read.ts';
import { balanceOfCall } from '@hindsight/chain/tokens/token-facts.ts';
import { totalSupplyCall } from '@hindsight/chain/tokens/token-calls.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import { pinnedFields } from '../domain/pinned.ts';
import { requireStandard, tokenFields } from '../domain/token.ts';
import { amount, pinned, standard, token } from './fields.ts';
import { proof, PROOF_CODES, PROOF_ERRORS, proofParam } from './proof-fields.ts';
import { QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import { defineView } from './view.ts';

/** GET /v1/{network}/supply: how many units of a token there were at a block. */
export const supply = defineView({
  operation: {
    ...OPERATIONS.getTokenSupply,
    tag: 'Tokens',
    summary: 'Get total supply',
    description:
      'Returns the total supply of an ERC-20 token, or the number of ERC-721 tokens, as the contract reported it at any ' +
      'block or date.',
    success: { name: 'TokenSupply', description: 'The supply at the block' },
    codes: [...TOKEN_CODES, ...PROOF_CODES, 'no_supply'],
    errors: {
      ...QUESTION_ERRORS,
      ...PROOF_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also for an ERC-1155 contract, which has a supply for each token id`,
      404: 'No such network, no token at the block, one that reports no supply, or a block above the head',
    },
  },
  parameters: { token_address: addressParam.meta({ description: 'The token contract' }), proof: proofParam },
  record: {
    ...token,
    token_type: standard('erc20', 'erc721'),
    ...pinned,
    total_supply: amount('The supply in the token’s smallest unit, for ERC-721 the number of tokens'),
    ...proof,
  },
  async read(state, { token_address, proof }) {
    const call = totalSupplyCall(token_address);
    const reading = await state.token(call);
    const { token, value } = reading;
    const { number } = state.pinned;
    const why = 'it has a supply for each token id instead';
    const type = requireStandard(reading, number, ['erc20', 'erc721'], why);
    if (value === undefined)
      throw notFound('no_supply', `The token ${token} does not report a total supply at block ${number}`);
    // Reads whatever any call of the token reads, such as a proxy's implementation, but not the supply.
    const control = balanceOfCall(token_address, unusedAddress(token_address));
    return {
      ...tokenFields(type, reading),
      ...pinnedFields(state.pinned),
      total_supply: value.toString(),
      ...(proof && { proof: await state.proveNumber({ call, control, value }) }),
    };
  },
});
