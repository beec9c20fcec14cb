/** Dutch and Limit orders: `ExclusiveDutchOrder` (UniswapX v1.1, src/lib/ExclusiveDutchOrderLib.sol). */
import {
  DUTCH_AMOUNTS_ABI,
  DUTCH_OUTPUT_TYPE,
  dutchOutputWitness,
  dutchPermitted,
  dutchTerms,
  type DutchInputTuple,
  type DutchOutputTuple,
} from './dutch-amounts.ts';
import { defineEncoding } from './encoding.ts';

type Values = readonly [
  decayStartTime: bigint,
  decayEndTime: bigint,
  exclusiveFiller: string,
  exclusivityOverrideBps: bigint,
  input: DutchInputTuple,
  outputs: readonly DutchOutputTuple[],
];

/** Version 1: Dutch and Limit. */
export const DUTCH_V1 = defineEncoding({
  name: 'ExclusiveDutchOrder',
  abi: ['uint256', 'uint256', 'address', 'uint256', ...DUTCH_AMOUNTS_ABI],
  fields: [
    { name: 'decayStartTime', type: 'uint256' },
    { name: 'decayEndTime', type: 'uint256' },
    { name: 'exclusiveFiller', type: 'address' },
    { name: 'exclusivityOverrideBps', type: 'uint256' },
    { name: 'inputToken', type: 'address' },
    { name: 'inputStartAmount', type: 'uint256' },
    { name: 'inputEndAmount', type: 'uint256' },
    { name: 'outputs', type: 'DutchOutput[]' },
  ],
  types: { DutchOutput: DUTCH_OUTPUT_TYPE },
  read(values) {
    const [decayStartTime, decayEndTime, exclusiveFiller, exclusivityOverrideBps, input, outputs] =
      values as unknown as Values;
    const [token, startAmount, endAmount] = input;
    return {
      witness: {
        decayStartTime,
        decayEndTime,
        exclusiveFiller,
        exclusivityOverrideBps,
        inputToken: token,
        inputStartAmount: startAmount,
        inputEndAmount: endAmount,
        outputs: outputs.map(dutchOutputWitness),
      },
      permitted: dutchPermitted(input),
      cosigned: null,
      exclusiveFiller,
      terms: {
        ...dutchTerms(input, outputs),
        auction: {
          decayStartTime: String(decayStartTime),
          decayEndTime: String(decayEndTime),
          exclusivityOverrideBps: String(exclusivityOverrideBps),
        },
      },
    };
  },
});
