import { OPERATIONS } from '@hindsight/api/operations.ts';
import { addressParam } from '@hindsight/chain/params.ts';
import { unusedAddress } from '@hindsight/chain/proofs/slots-read.ts';
import { balanceOfCall } from '@hindsight/chain/tokens/token-facts.ts';
import { sharesCalls } from '@hindsight/chain/tokens/token-calls.ts';
import { pinnedFields, type ReadBlock } from '../domain/pinned.ts';
import { balanceStandard, noBalance, tokenFields, type TokenReading } from '../domain/token.ts';
import { amount, holder, pinned, standard, token } from './fields.ts';
import { account } from './parameters.ts';
import { PROOF_CODES, PROOF_ERRORS, proofOrShares, proofOrSharesParam } from './proof-fields.ts';
import { QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import type { StateAt } from '../ports.ts';
import { defineView, type Fields } from './view.ts';

const record = {
  holder,
  ...token,
  token_type: standard('erc20', 'erc721'),
  ...pinned,
  balance: amount('The balance in the token’s smallest unit, for ERC-721 the number of tokens'),
  ...proofOrShares,
};

/**
 * The fields of a record.
 * @throws {ApiError} 404 where there is no such token at that block, or it has no balance for that holder; 400 for an
 *   ERC-1155
 */
export function balanceFields(
  reading: TokenReading,
  holder: string,
  block: ReadBlock,
): Fields<typeof record> {
  const { token, value } = reading;
  const type = balanceStandard(reading, block.number);
  if (value === undefined) throw noBalance(token, holder, block.number);
  return { holder, ...tokenFields(type, reading), ...pinnedFields(block), balance: value.toString() };
}

/** GET /v1/{network}/balance/single: a holder's balance of a token at a block. */
export const balanceSingle = defineView({
  operation: {
    ...OPERATIONS.getTokenBalance,
    tag: 'Balances',
    summary: 'Get token balance',
    description:
      'Returns how much of an ERC-20 token, or how many ERC-721 tokens, a wallet held at any block or date, exact to ' +
      'the unit. The answer names the block by number, time and hash. A balance of zero is an answer: 200 with "0".',
    success: { name: 'TokenBalance', description: 'The balance at the block' },
    codes: [...TOKEN_CODES, ...PROOF_CODES, 'no_balance'],
    errors: {
      ...QUESTION_ERRORS,
      ...PROOF_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also for an ERC-1155 contract, which has a balance for each token id`,
      404: 'No such network, no token at the block, a name without an address at the block, or a block above the head',
    },
  },
  parameters: {
    token_address: addressParam.meta({ description: 'The token contract' }),
    holder: account('The wallet: an address or an ENS name'),
    proof: proofOrSharesParam,
  },
  record,
  async read(state, { token_address, holder, proof }) {
    const call = balanceOfCall(token_address, holder);
    const reading = await state.token(call);
    const fields = balanceFields(reading, holder, state.pinned);
    if (proof === undefined) return fields;
    const control = balanceOfCall(token_address, unusedAddress(holder));
    const shares = () => readShares(state, token_address, holder);
    const answered = { call, control, value: reading.value!, shares };
    const proven = proof === 'shares' ? state.proveShares(answered) : state.proveNumber(answered);
    return { ...fields, proof: await proven };
  },
});

/** Reads how many shares a token states for a holder; undefined where it states none. */
async function readShares(state: StateAt, token: string, holder: string): Promise<bigint | undefined> {
  for (const call of sharesCalls(token, holder)) {
    const shares = await state.number(call);
    if (shares !== undefined) return shares;
  }
  return undefined;
}
