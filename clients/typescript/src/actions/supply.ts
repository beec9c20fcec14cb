import { formatUnits } from '../amount.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';

type Wire = components['schemas']['TokenSupply'];

/** A token's total supply. */
export type Supply = Omit<Wire, 'total_supply'> & {
  /** In the smallest unit. */
  readonly total_supply: bigint;
  /** In whole tokens. */
  format(): string;
};

/** A token and a block. */
export interface SupplyQuestion extends When {
  readonly token: string;
  readonly signal?: AbortSignal | undefined;
}

/** The total supply of a token at a block. */
export async function getSupply(transport: Transport, question: SupplyQuestion): Promise<Supply> {
  const record = await transport.json<Wire>({
    path: `/v1/${transport.network}/supply`,
    query: { token_address: question.token, ...whenParams(question) },
    signal: question.signal,
  });
  const supply = BigInt(record.total_supply);
  return { ...record, total_supply: supply, format: () => formatUnits(supply, record.token_decimals) };
}
