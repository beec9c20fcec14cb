/** Dutch and Limit orders: `ExclusiveDutchOrder` (UniswapX v1.1, src/lib/ExclusiveDutchOrderLib.sol). */
import {
  DUTCH_AMOUNTS_ABI,
  DUTCH_OUTPUT_TYPE,
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

export const DUTCH_V1 = defineEncoding({
  name: 'ExclusiveDutchOrder',
  abi: ['uint256', 'uint256', 'address', 'uint256', ...DUTCH_AMOUNTS_ABI],
  fields:
    'uint256 decayStartTime,uint256 decayEndTime,address exclusiveFiller,uint256 exclusivityOverrideBps,address inputToken,uint256 inputStartAmount,uint256 inputEndAmount,DutchOutput[] outputs',
  types: { DutchOutput: DUTCH_OUTPUT_TYPE },
  read(values) {
    const [decayStartTime, decayEndTime, exclusiveFiller, exclusivityOverrideBps, input, outputs] =
      values as unknown as Values;
    const { permitted, terms } = dutchTerms(input, outputs);
    return {
      witness: [decayStartTime, decayEndTime, exclusiveFiller, exclusivityOverrideBps, ...input, outputs],
      permitted,
      cosigned: null,
      exclusiveFiller,
      terms: {
        ...terms,
        auction: {
          decayStartTime: String(decayStartTime),
          decayEndTime: String(decayEndTime),
          exclusivityOverrideBps: String(exclusivityOverrideBps),
        },
      },
    };
  },
});
