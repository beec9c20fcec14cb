/** Inputs and outputs of Dutch, Limit and Dutch_V2 orders: amounts that move from a start to an end. */
import type { OrderAmount } from '../order.ts';

export type DutchInputTuple = readonly [token: string, startAmount: bigint, endAmount: bigint];

export type DutchOutputTuple = readonly [
  token: string,
  startAmount: bigint,
  endAmount: bigint,
  recipient: string,
];

export const DUTCH_AMOUNTS_ABI = [
  'tuple(address,uint256,uint256)',
  'tuple(address,uint256,uint256,address)[]',
] as const;

/** `DutchOutput` as an EIP-712 type. */
export const DUTCH_OUTPUT_TYPE = 'address token,uint256 startAmount,uint256 endAmount,address recipient';

/** Input and outputs in their published form, and the most that Permit2 may transfer: the maximum of the input. */
export function dutchTerms(
  [token, startAmount, endAmount]: DutchInputTuple,
  outputs: readonly DutchOutputTuple[],
) {
  const terms: { input: OrderAmount; outputs: OrderAmount[] } = {
    input: { token, startAmount: String(startAmount), endAmount: String(endAmount) },
    outputs: outputs.map(([out, start, end, recipient]) => ({
      token: out,
      startAmount: String(start),
      endAmount: String(end),
      recipient,
    })),
  };
  return { permitted: { token, amount: endAmount }, terms };
}
