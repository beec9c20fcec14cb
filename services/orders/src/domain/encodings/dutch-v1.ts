/** Dutch and Limit orders: `ExclusiveDutchOrder` (UniswapX v1.1, src/lib/ExclusiveDutchOrderLib.sol). */
import type { AbiValue } from '../strict-abi.ts';
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
  defineEncoding,
  infoWitness,
  INFO_ABI,
  INFO_TYPE,
  type Encoding,
  type InfoTuple,
  type Reading,
} from './encoding.ts';

type Values = readonly [
  info: InfoTuple,
  decayStartTime: bigint,
  decayEndTime: bigint,
  exclusiveFiller: string,
  exclusivityOverrideBps: bigint,
  input: DutchInputTuple,
  outputs: readonly DutchOutputTuple[],
];

const ABI = [INFO_ABI, 'uint256', 'uint256', 'address', 'uint256', ...DUTCH_AMOUNTS_ABI];

const TYPES = {
  ExclusiveDutchOrder: [
    { name: 'info', type: 'OrderInfo' },
    { name: 'decayStartTime', type: 'uint256' },
    { name: 'decayEndTime', type: 'uint256' },
    { name: 'exclusiveFiller', type: 'address' },
    { name: 'exclusivityOverrideBps', type: 'uint256' },
    { name: 'inputToken', type: 'address' },
    { name: 'inputStartAmount', type: 'uint256' },
    { name: 'inputEndAmount', type: 'uint256' },
    { name: 'outputs', type: 'DutchOutput[]' },
  ],
  OrderInfo: INFO_TYPE,
  DutchOutput: DUTCH_OUTPUT_TYPE,
};

function read(values: readonly AbiValue[]): Reading {
  const [info, decayStartTime, decayEndTime, exclusiveFiller, exclusivityOverrideBps, input, outputs] =
    values as unknown as Values;
  const [token, startAmount, endAmount] = input;
  return {
    info,
    witness: {
      info: infoWitness(info),
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
}

/** Version 1: Dutch and Limit. */
export const DUTCH_V1: Encoding = defineEncoding(ABI, TYPES, read);
