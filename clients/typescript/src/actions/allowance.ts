import { formatUnits } from '../amount.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';

type Wire = components['schemas']['TokenAllowance'];

/** A spender's allowance, as the API answers it, with an exact amount. */
export type Allowance = Omit<Wire, 'allowance'> & {
  /** In the smallest unit. */
  readonly allowance: bigint;
  /** In whole tokens. */
  format(): string;
};

/** Who allowed whom, and when. */
export interface AllowanceQuestion extends When {
  readonly token: string;
  /** An address or an ENS name. */
  readonly owner: string;
  /** An address or an ENS name. */
  readonly spender: string;
  readonly signal?: AbortSignal | undefined;
}

/** A spender's allowance at a block. @throws {NotFound} if the allowance was zero */
export async function allowanceAt(transport: Transport, question: AllowanceQuestion): Promise<Allowance> {
  const { token, owner, spender, signal } = question;
  const record = await transport.json<Wire>({
    path: `/v1/${transport.network}/allowance/single`,
    query: { token_address: token, owner, spender, ...whenParams(question) },
    signal,
  });
  const allowance = BigInt(record.allowance);
  return { ...record, allowance, format: () => formatUnits(allowance, record.token_decimals) };
}
