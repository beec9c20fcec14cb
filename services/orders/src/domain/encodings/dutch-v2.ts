/** Dutch_V2 orders: `V2DutchOrder` (UniswapX, src/lib/V2DutchOrderLib.sol). */
import type { AbiValue } from '../strict-abi.ts';
import { dutchCosigned } from './cosigned.ts';
import {
  DUTCH_AMOUNTS_ABI,
  DUTCH_OUTPUT_TYPE,
  dutchOutputWitness,
  dutchPermitted,
  dutchTerms,
  type DutchInputTuple,
  type DutchOutputTuple,
} from './dutch-amounts.ts';
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
  input: DutchInputTuple,
  outputs: readonly DutchOutputTuple[],
  cosignerData: CosignerData,
  cosignature: string,
];

const COSIGNER_DATA_ABI = 'tuple(uint256,uint256,address,uint256,uint256,uint256[])';
const ABI = [INFO_ABI, 'address', ...DUTCH_AMOUNTS_ABI, COSIGNER_DATA_ABI, 'bytes'];

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

function read(values: readonly AbiValue[]): Reading {
  const [info, cosigner, input, outputs, cosignerData, cosignature] = values as unknown as Values;
  const [token, startAmount, endAmount] = input;
  const [start, end, exclusiveFiller, bps, inputOverride, outputOverrides] = cosignerData;
  const fixed = [start, end, exclusiveFiller, bps, inputOverride];
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
    permitted: dutchPermitted(input),
    cosigned: dutchCosigned({ fixed, outputOverrides }, { cosigner, cosignature, bindsChain: false }),
    exclusiveFiller,
    terms: {
      ...dutchTerms(input, outputs),
      auction: {
        decayStartTime: String(start),
        decayEndTime: String(end),
        exclusivityOverrideBps: String(bps),
        inputOverride: String(inputOverride),
        outputOverrides: decimals(outputOverrides),
      },
    },
  };
}

/** Version 2. */
export const DUTCH_V2: Encoding = defineEncoding(ABI, TYPES, read);
