import { quantityToNumber } from '../rpc/hex.ts';

/** The chain that a node names; undefined where its answer is no chain id, such as the empty text of a gateway. */
export function readChainId(answer: unknown): number | undefined {
  try {
    return quantityToNumber(answer);
  } catch {
    return undefined;
  }
}
