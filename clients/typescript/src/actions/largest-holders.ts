import { amountOf } from '../amount.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams } from '../when.ts';
import { tokenParams, type HeldQuestion } from './holders.ts';
import { exact, type Exact } from './plain.ts';

type Wire = components['schemas']['LargestTokenHolders'];

/** A token, a block, and how many of its holders. */
export interface LargestQuestion extends HeldQuestion {
  /** From 1 to 1,000. Default: 100 */
  readonly limit?: number | undefined;
}

/** One of the largest holders: its exact balance, and its share of the supply in millionths. */
export type LargestHolder = Exact<Wire['holders'][number], 'balance'>;

/** The largest holders, the largest first, and the whole list in figures. */
export type LargestHolders = Omit<Wire, 'sum' | 'total_supply' | 'holders'> & {
  readonly sum: bigint;
  readonly total_supply: bigint | null;
  readonly holders: readonly LargestHolder[];
};

/** The largest holders of a token at one block. The first question about a block may take long: it is asked again. */
export async function largestHolders(
  transport: Transport,
  question: LargestQuestion,
): Promise<LargestHolders> {
  const { limit, signal } = question;
  const record = await transport.json<Wire>({
    path: transport.pathTo('listTokenHolders'),
    query: { ...tokenParams(question), ...whenParams(question), order: 'balance', limit },
    signal,
  });
  const { sum, total_supply: supply, holders, token_decimals: decimals } = record;
  return {
    ...record,
    sum: BigInt(sum),
    total_supply: amountOf(supply),
    holders: holders.map((one) => exact(one, 'balance', decimals)),
  };
}
