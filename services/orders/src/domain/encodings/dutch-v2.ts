/** Dutch_V2 orders: `V2DutchOrder` (UniswapX, src/lib/V2DutchOrderLib.sol). */
import { AbiCoder, ParamType } from 'ethers';
import {
  dutchOutputs,
  dutchOutputWitness,
  DUTCH_OUTPUT_ABI,
  DUTCH_OUTPUT_TYPE,
  type DutchOutputTuple,
} from './dutch-output.ts';
import {
  decimals,
  defineEncoding,
  infoWitness,
  INFO_ABI,
  INFO_TYPE,
  type Encoding,
  type InfoTuple,
  type Reading,
} from './encoding.ts';

type CosignerData = readonly [
  decayStartTime: bigint,
  decayEndTime: bigint,
  exclusiveFiller: string,
  exclusivityOverrideBps: bigint,
  inputOverride: bigint,
  outputOverrides: readonly bigint[],
];

type Values = readonly [
  info: InfoTuple,
  cosigner: string,
  input: readonly [token: string, startAmount: bigint, endAmount: bigint],
  outputs: readonly DutchOutputTuple[],
  cosignerData: CosignerData,
  cosignature: string,
];

const COSIGNER_DATA_ABI = 'tuple(uint256,uint256,address,uint256,uint256,uint256[])';
const COSIGNER_DATA = ParamType.from(COSIGNER_DATA_ABI);

const ABI = [
  INFO_ABI,
  'address',
  'tuple(address,uint256,uint256)',
  DUTCH_OUTPUT_ABI,
  COSIGNER_DATA_ABI,
  'bytes',
];

const TYPES = {
  V2DutchOrder: [
    { name: 'info', type: 'OrderInfo' },
    { name: 'cosigner', type: 'address' },
    { name: 'baseInputToken', type: 'address' },
    { name: 'baseInputStartAmount', type: 'uint256' },
    { name: 'baseInputEndAmount', type: 'uint256' },
    { name: 'baseOutputs', type: 'DutchOutput[]' },
  ],
  OrderInfo: INFO_TYPE,
  DutchOutput: DUTCH_OUTPUT_TYPE,
};

function read(values: readonly unknown[]): Reading {
  const [info, cosigner, input, outputs, cosignerData, cosignature] = values as unknown as Values;
  const [token, startAmount, endAmount] = input;
  return {
    info,
    witness: {
      info: infoWitness(info),
      cosigner,
      baseInputToken: token,
      baseInputStartAmount: startAmount,
      baseInputEndAmount: endAmount,
      baseOutputs: outputs.map(dutchOutputWitness),
    },
    permitted: { token, amount: endAmount },
    cosigned: {
      cosigner,
      cosignature,
      data: AbiCoder.defaultAbiCoder().encode([COSIGNER_DATA], [cosignerData]),
      bindsChain: false,
      optional: false,
      empty: false,
    },
    exclusiveFiller: cosignerData[2],
    terms: {
      input: { token, startAmount: String(startAmount), endAmount: String(endAmount) },
      outputs: dutchOutputs(outputs),
      auction: auctionOf(cosignerData),
    },
  };
}

function auctionOf([start, end, , bps, inputOverride, outputOverrides]: CosignerData) {
  return {
    decayStartTime: String(start),
    decayEndTime: String(end),
    exclusivityOverrideBps: String(bps),
    inputOverride: String(inputOverride),
    outputOverrides: decimals(outputOverrides),
  };
}

/** Version 2. */
export const DUTCH_V2: Encoding = defineEncoding(ABI, TYPES, read);
