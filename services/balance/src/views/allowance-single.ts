import { OPERATIONS } from '@hindsight/api/operations.ts';
import { unusedAddress } from '@hindsight/chain/proofs/slots-read.ts';
import { allowanceCall } from '@hindsight/chain/tokens/token-facts.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import { pinnedFields } from '../domain/pinned.ts';
import { requireStandard, tokenFields } from '../domain/token.ts';
import { amount, pinned, resolved, standard, token } from './fields.ts';
import { account } from './parameters.ts';
import { proof, PROOF_CODES, PROOF_ERRORS, proofParam } from './proof-fields.ts';
import { QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import { defineView } from './view.ts';

/** GET /v1/{network}/allowance/single: the allowance of a spender at a block. */
export const allowanceSingle = defineView({
  operation: {
    ...OPERATIONS.getTokenAllowance,
    tag: 'Allowances',
    summary: 'Get token allowance',
    description:
      'Returns how much of an owner’s ERC-20 tokens a spender could spend at any block or date, exact to the unit. ' +
      'If nothing was allowed, the answer is 404.',
    success: { name: 'TokenAllowance', description: 'The allowance at the block' },
    codes: [...TOKEN_CODES, ...PROOF_CODES, 'no_allowance'],
    errors: {
      ...QUESTION_ERRORS,
      ...PROOF_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also if the token is not an ERC-20`,
      404: 'No allowance for this owner and spender at the block; or no such network, token, name or block',
    },
  },
  parameters: {
    token_address: account('The ERC-20 contract: an address or an ENS name'),
    owner: account('The owner of the tokens: an address or an ENS name'),
    spender: account('The account that may spend them: an address or an ENS name'),
    proof: proofParam,
  },
  record: {
    owner: resolved('The owner’s address'),
    spender: resolved('The spender’s address'),
    ...token,
    token_type: standard('erc20'),
    ...pinned,
    allowance: amount('The allowance in the token’s smallest unit'),
    ...proof,
  },
  async read(state, { token_address, owner, spender, proof }) {
    const call = allowanceCall(token_address, owner, spender);
    const reading = await state.token(call);
    const { token, value } = reading;
    const { number } = state.pinned;
    const type = requireStandard(reading, number, ['erc20'], "allowances are ERC-20's");
    if (value === undefined)
      throw notFound('not_a_token', `The contract at ${token} names no allowance at block ${number}`);
    if (value === 0n) {
      throw notFound(
        'no_allowance',
        `Historical allowance does not exist for this owner and spender: ` +
          `owner ${owner}, spender ${spender}, token ${token}, block ${number}`,
      );
    }
    const control = allowanceCall(token_address, unusedAddress(owner), unusedAddress(spender));
    return {
      owner,
      spender,
      ...tokenFields(type, reading),
      ...pinnedFields(state.pinned),
      allowance: value.toString(),
      ...(proof && { proof: await state.proveNumber({ call, control, value }) }),
    };
  },
});
