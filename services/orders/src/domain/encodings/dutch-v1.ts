/** Dutch and Limit orders: `ExclusiveDutchOrder` (UniswapX v1.1, src/lib/ExclusiveDutchOrderLib.sol). */
import {
  dutchOutputs,
  dutchOutputWitness,
  DUTCH_OUTPUT_ABI,
  DUTCH_OUTPUT_TYPE,
  type DutchOutputTuple,
} from './dutch-output.ts';
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
  input: readonly [token: string, startAmount: bigint, endAmount: bigint],
  outputs: readonly DutchOutputTuple[],
];

const ABI = [
  INFO_ABI,
  'uint256',
  'uint256',
  'address',
  'uint256',
  'tuple(address,uint256,uint256)',
  DUTCH_OUTPUT_ABI,
];

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

function read(values: readonly unknown[]): Reading {
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
    permitted: { token, amount: endAmount },
    cosigned: null,
    exclusiveFiller,
    terms: {
      input: { token, startAmount: String(startAmount), endAmount: String(endAmount) },
      outputs: dutchOutputs(outputs),
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
