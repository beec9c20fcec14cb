/**
 * Dutch_V3 orders: `V3DutchOrder`, with amounts that follow curves over blocks (UniswapX,
 * src/lib/V3DutchOrderLib.sol).
 */
import type { OrderAmount } from '../order.ts';
import { dutchCosigned } from './cosigned.ts';
import { decimals, defineEncoding } from './encoding.ts';

type CurveTuple = readonly [relativeBlocks: bigint, relativeAmounts: readonly bigint[]];

type InputTuple = readonly [
  token: string,
  startAmount: bigint,
  curve: CurveTuple,
  maxAmount: bigint,
  adjustmentPerGweiBaseFee: bigint,
];

type OutputTuple = readonly [
  token: string,
  startAmount: bigint,
  curve: CurveTuple,
  recipient: string,
  minAmount: bigint,
  adjustmentPerGweiBaseFee: bigint,
];

type CosignerData = readonly [
  decayStartBlock: bigint,
  exclusiveFiller: string,
  exclusivityOverrideBps: bigint,
  inputOverride: bigint,
  outputOverrides: readonly bigint[],
];

type Values = readonly [
  cosigner: string,
  startingBaseFee: bigint,
  input: InputTuple,
  outputs: readonly OutputTuple[],
  cosignerData: CosignerData,
  cosignature: string,
];

const COSIGNER_DATA_ABI = 'tuple(uint256,address,uint256,uint256,uint256[])';

/** Sixteen unsigned 16-bit numbers are packed into one word, the first in the lowest bits (src/types/Uint16Array.sol). */
function curveTerms([relativeBlocks, relativeAmounts]: CurveTuple): NonNullable<OrderAmount['curve']> {
  return {
    relativeBlocks: relativeAmounts.map((_, at) => Number((relativeBlocks >> BigInt(at * 16)) & 0xffffn)),
    relativeAmounts: decimals(relativeAmounts),
  };
}

function inputTerms([token, startAmount, curve, maxAmount, adjustment]: InputTuple): OrderAmount {
  return {
    token,
    startAmount: String(startAmount),
    maxAmount: String(maxAmount),
    curve: curveTerms(curve),
    adjustmentPerGweiBaseFee: String(adjustment),
  };
}

function outputTerms([token, start, curve, recipient, minAmount, adjustment]: OutputTuple): OrderAmount {
  return {
    token,
    startAmount: String(start),
    minAmount: String(minAmount),
    curve: curveTerms(curve),
    adjustmentPerGweiBaseFee: String(adjustment),
    recipient,
  };
}

export const DUTCH_V3 = defineEncoding({
  name: 'V3DutchOrder',
  abi: [
    'address',
    'uint256',
    'tuple(address,uint256,tuple(uint256,int256[]),uint256,uint256)',
    'tuple(address,uint256,tuple(uint256,int256[]),address,uint256,uint256)[]',
    COSIGNER_DATA_ABI,
    'bytes',
  ],
  fields: 'address cosigner,uint256 startingBaseFee,V3DutchInput baseInput,V3DutchOutput[] baseOutputs',
  types: {
    V3DutchInput:
      'address token,uint256 startAmount,NonlinearDutchDecay curve,uint256 maxAmount,uint256 adjustmentPerGweiBaseFee',
    V3DutchOutput:
      'address token,uint256 startAmount,NonlinearDutchDecay curve,address recipient,uint256 minAmount,uint256 adjustmentPerGweiBaseFee',
    NonlinearDutchDecay: 'uint256 relativeBlocks,int256[] relativeAmounts',
  },
  read(values) {
    const [cosigner, startingBaseFee, input, outputs, cosignerData, cosignature] =
      values as unknown as Values;
    const [token, , , maxAmount] = input;
    const [startBlock, exclusiveFiller, bps, inputOverride, outputOverrides] = cosignerData;
    const fixed = [startBlock, exclusiveFiller, bps, inputOverride];
    return {
      witness: [cosigner, startingBaseFee, input, outputs],
      permitted: { token, amount: maxAmount },
      cosigned: dutchCosigned({ fixed, outputOverrides }, { cosigner, cosignature, bindsChain: true }),
      exclusiveFiller,
      terms: {
        input: inputTerms(input),
        outputs: outputs.map(outputTerms),
        auction: {
          startingBaseFee: String(startingBaseFee),
          decayStartBlock: String(startBlock),
          exclusivityOverrideBps: String(bps),
          inputOverride: String(inputOverride),
          outputOverrides: decimals(outputOverrides),
        },
      },
    };
  },
});
