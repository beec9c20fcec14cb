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

function curveWitness([relativeBlocks, relativeAmounts]: CurveTuple) {
  return { relativeBlocks, relativeAmounts };
}

function inputWitness([token, startAmount, curve, maxAmount, adjustmentPerGweiBaseFee]: InputTuple) {
  return { token, startAmount, curve: curveWitness(curve), maxAmount, adjustmentPerGweiBaseFee };
}

function outputWitness([token, startAmount, curve, recipient, minAmount, adjustment]: OutputTuple) {
  const adjustmentPerGweiBaseFee = adjustment;
  return { token, startAmount, curve: curveWitness(curve), recipient, minAmount, adjustmentPerGweiBaseFee };
}

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

/** Version 3. */
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
  fields: [
    { name: 'cosigner', type: 'address' },
    { name: 'startingBaseFee', type: 'uint256' },
    { name: 'baseInput', type: 'V3DutchInput' },
    { name: 'baseOutputs', type: 'V3DutchOutput[]' },
  ],
  types: {
    V3DutchInput: [
      { name: 'token', type: 'address' },
      { name: 'startAmount', type: 'uint256' },
      { name: 'curve', type: 'NonlinearDutchDecay' },
      { name: 'maxAmount', type: 'uint256' },
      { name: 'adjustmentPerGweiBaseFee', type: 'uint256' },
    ],
    V3DutchOutput: [
      { name: 'token', type: 'address' },
      { name: 'startAmount', type: 'uint256' },
      { name: 'curve', type: 'NonlinearDutchDecay' },
      { name: 'recipient', type: 'address' },
      { name: 'minAmount', type: 'uint256' },
      { name: 'adjustmentPerGweiBaseFee', type: 'uint256' },
    ],
    NonlinearDutchDecay: [
      { name: 'relativeBlocks', type: 'uint256' },
      { name: 'relativeAmounts', type: 'int256[]' },
    ],
  },
  read(values) {
    const [cosigner, startingBaseFee, input, outputs, cosignerData, cosignature] =
      values as unknown as Values;
    const [token, , , maxAmount] = input;
    const [startBlock, exclusiveFiller, bps, inputOverride, outputOverrides] = cosignerData;
    const fixed = [startBlock, exclusiveFiller, bps, inputOverride];
    return {
      witness: {
        cosigner,
        startingBaseFee,
        baseInput: inputWitness(input),
        baseOutputs: outputs.map(outputWitness),
      },
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
