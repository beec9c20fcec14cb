import type { MulticallItem } from './multicall/multicall.ts';

/** Most nodes grant an eth_call 30 million gas (anvil: a block's worth) or more; of less, this share. */
const GAS_PER_CALL = 22_000_000;
const GAS_SHARE = 0.7;

/** The gas that all items of a call may have together, where each is to be left its whole cap. */
export function gasPerCall({ gas }: { readonly gas: number }): number {
  return Math.min(GAS_PER_CALL, GAS_SHARE * gas);
}

export function gasOf(items: readonly MulticallItem[]): number {
  return items.reduce((sum, item) => (item.kind === 'call' ? sum + item.gas : sum), 0);
}

/**
 * Some nodes process a request's calls one by one, with one deadline for all: the bytes of two of the largest
 * calls' answers.
 */
export const ANSWERED_PER_REQUEST = 188_800;
/** Many nodes and gateways refuse larger batches. */
export const CALLS_PER_REQUEST = 100;
