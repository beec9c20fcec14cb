/** The parameters of a list of holders, as a stream or as a file, and what its answers have in common. */
import { addressParam, tokenIdParam, whenParams, type WhenQuery } from '@hindsight/chain/params.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';
import { openQuestion, whenOf, type OpenQuestion, type ServedHolders } from './indexed-question.ts';

/** Parameters of every list. */
export const holderParams = {
  token_address: addressParam.meta({ description: 'The token contract' }),
  ...whenParams,
  token_id: tokenIdParam.optional().meta({
    description: 'One id of an ERC-1155, whose holders are meant, or of an ERC-721, whose owner is',
  }),
  after: addressParam
    .optional()
    .meta({ description: 'Only holders after this address: `next` of the previous answer' }),
};

interface ListQuery extends WhenQuery {
  readonly token_address: string;
  readonly token_id?: bigint | undefined;
}

/** Finds the token, the block and what is indexed. @throws {ApiError} */
export function openList(
  network: ServedHolders,
  query: ListQuery,
  signal: AbortSignal,
): Promise<OpenQuestion> {
  const { token_address: token, token_id: id } = query;
  return openQuestion(network, { token, id, when: whenOf(query) }, signal);
}

/** The total supply, beside the sum of the balances. Of one id no contract reports a supply. @throws {ApiError} */
export async function supplyOf(
  { balances }: ServedHolders,
  { asset: { token, hash, id } }: OpenQuestion,
  signal: AbortSignal,
): Promise<string | null> {
  return id === undefined ? balances.supply(token, hash, signal) : null;
}

export function idOf({ asset: { id } }: OpenQuestion): { readonly token_id?: string } {
  return id === undefined ? {} : { token_id: id.toString() };
}

/** @throws {ApiError} the same error, for an ERC-1155 with what is missing */
export function namingIds(error: unknown): never {
  if (!(error instanceof ApiError && error.code === 'wrong_token_standard')) throw error;
  const message =
    'token_address: the contract is an ERC-1155; expected token_id, the id whose holders are meant';
  throw new ApiError('wrong_token_standard', message);
}
