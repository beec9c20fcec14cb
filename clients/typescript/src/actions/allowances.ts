import { formatUnits } from '../amount.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';

type Wire = components['schemas']['TokenAllowances'];
type WireAllowance = Wire['allowances'][number];

/** A spender's allowance; null for an operator, who could move all tokens of the contract. */
export type OpenAllowance = Omit<WireAllowance, 'allowance'> & {
  readonly allowance: bigint | null;
  /** In whole tokens; `all` for an operator. */
  format(): string;
};

/** All allowances of an owner at a block; `asked` says from which blocks the candidates come. */
export type AllowanceList = Omit<Wire, 'allowances'> & { readonly allowances: readonly OpenAllowance[] };

/** Whose, and when. */
export interface AllowancesQuestion extends When {
  /** An address or an ENS name. */
  readonly owner: string;
  readonly signal?: AbortSignal | undefined;
}

/** Every token and spender with an allowance above zero at a block. */
export async function listAllowances(
  transport: Transport,
  question: AllowancesQuestion,
): Promise<AllowanceList> {
  const record = await transport.json<Wire>({
    path: `/v1/${transport.network}/allowance/list`,
    query: { owner: question.owner, ...whenParams(question) },
    signal: question.signal,
  });
  return {
    ...record,
    allowances: record.allowances.map((one) => {
      const allowance = one.allowance === null ? null : BigInt(one.allowance);
      const format = (): string => (allowance === null ? 'all' : formatUnits(allowance, one.token_decimals));
      return { ...one, allowance, format };
    }),
  };
}
