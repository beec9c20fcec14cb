/** Dutch_V2 orders: `V2DutchOrder` (UniswapX, src/lib/V2DutchOrderLib.sol). */
import { dutchCosigned } from './cosigned.ts';
import {
  DUTCH_AMOUNTS_ABI,
  DUTCH_OUTPUT_TYPE,
  dutchTerms,
  type DutchInputTuple,
  type DutchOutputTuple,
} from './dutch-amounts.ts';
import { decimals, defineEncoding } from './encoding.ts';

type CosignerData = readonly [
  decayStartTime: bigint,
  decayEndTime: bigint,
  exclusiveFiller: string,
  exclusivityOverrideBps: bigint,
  inputOverride: bigint,
  outputOverrides: readonly bigint[],
];

type Values = readonly [
  cosigner: string,
  input: DutchInputTuple,
  outputs: readonly DutchOutputTuple[],
  cosignerData: CosignerData,
  cosignature: string,
];

const COSIGNER_DATA_ABI = 'tuple(uint256,uint256,address,uint256,uint256,uint256[])';

export const DUTCH_V2 = defineEncoding({
  name: 'V2DutchOrder',
  abi: ['address', ...DUTCH_AMOUNTS_ABI, COSIGNER_DATA_ABI, 'bytes'],
  fields:
    'address cosigner,address baseInputToken,uint256 baseInputStartAmount,uint256 baseInputEndAmount,DutchOutput[] baseOutputs',
  types: { DutchOutput: DUTCH_OUTPUT_TYPE },
  read(values) {
    const [cosigner, input, outputs, cosignerData, cosignature] = values as unknown as Values;
    const [start, end, exclusiveFiller, bps, inputOverride, outputOverrides] = cosignerData;
    const { permitted, terms } = dutchTerms(input, outputs);
    const fixed = [start, end, exclusiveFiller, bps, inputOverride];
    return {
      witness: [cosigner, ...input, outputs],
      permitted,
      cosigned: dutchCosigned({ fixed, outputOverrides }, { cosigner, cosignature, bindsChain: false }),
      exclusiveFiller,
      terms: {
        ...terms,
        auction: {
          decayStartTime: String(start),
          decayEndTime: String(end),
          exclusivityOverrideBps: String(bps),
          inputOverride: String(inputOverride),
          outputOverrides: decimals(outputOverrides),
        },
      },
    };
  },
});
