import type { TypedDataField } from 'ethers';
import type { OrderAmount } from '../order.ts';

/** `DutchOutput`: token, startAmount, endAmount, recipient. */
export type DutchOutputTuple = readonly [string, bigint, bigint, string];

/** A list of `DutchOutput` as an ABI type. */
export const DUTCH_OUTPUT_ABI = 'tuple(address,uint256,uint256,address)[]';

/** `DutchOutput` as an EIP-712 type. */
export const DUTCH_OUTPUT_TYPE: TypedDataField[] = [
  { name: 'token', type: 'address' },
  { name: 'startAmount', type: 'uint256' },
  { name: 'endAmount', type: 'uint256' },
  { name: 'recipient', type: 'address' },
];

/** A `DutchOutput` for EIP-712. */
export function dutchOutputWitness([token, startAmount, endAmount, recipient]: DutchOutputTuple) {
  return { token, startAmount, endAmount, recipient };
}

/** Outputs as they are published. */
export function dutchOutputs(outputs: readonly DutchOutputTuple[]): OrderAmount[] {
  return outputs.map(([token, startAmount, endAmount, recipient]) => ({
    token,
    startAmount: String(startAmount),
    endAmount: String(endAmount),
    recipient,
  }));
}
