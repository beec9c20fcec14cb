/** Priority orders: the filler that pays the highest priority fee gets them (UniswapX, src/lib/PriorityOrderLib.sol). */
import type { OrderAmount } from '../order.ts';
import { wordOf } from '../words.ts';
import { defineEncoding, ZERO_ADDRESS } from './encoding.ts';

type OutputTuple = readonly [token: string, amount: bigint, mpsPerPriorityFeeWei: bigint, recipient: string];

type Values = readonly [
  cosigner: string,
  auctionStartBlock: bigint,
  baselinePriorityFeeWei: bigint,
  input: readonly [token: string, amount: bigint, mpsPerPriorityFeeWei: bigint],
  outputs: readonly OutputTuple[],
  cosignerData: readonly [auctionTargetBlock: bigint],
  cosignature: string,
];

function outputTerms([token, amount, mpsPerPriorityFeeWei, recipient]: OutputTuple): OrderAmount {
  return { token, amount: String(amount), mpsPerPriorityFeeWei: String(mpsPerPriorityFeeWei), recipient };
}

export const PRIORITY = defineEncoding({
  name: 'PriorityOrder',
  abi: [
    'address',
    'uint256',
    'uint256',
    'tuple(address,uint256,uint256)',
    'tuple(address,uint256,uint256,address)[]',
    'tuple(uint256)',
    'bytes',
  ],
  fields:
    'address cosigner,uint256 auctionStartBlock,uint256 baselinePriorityFeeWei,PriorityInput input,PriorityOutput[] outputs',
  types: {
    PriorityInput: 'address token,uint256 amount,uint256 mpsPerPriorityFeeWei',
    PriorityOutput: 'address token,uint256 amount,uint256 mpsPerPriorityFeeWei,address recipient',
  },
  read(values) {
    const [cosigner, auctionStartBlock, baselinePriorityFeeWei, input, outputs, [target], cosignature] =
      values as unknown as Values;
    const [token, amount, mpsPerPriorityFeeWei] = input;
    return {
      witness: [cosigner, auctionStartBlock, baselinePriorityFeeWei, input, outputs],
      permitted: { token, amount },
      cosigned: {
        cosigner,
        cosignature,
        data: wordOf(target),
        bindsChain: true,
        // The reactor asks for the cosignature only where the order names a cosigner.
        optional: true,
        empty: target === 0n,
      },
      exclusiveFiller: ZERO_ADDRESS,
      terms: {
        input: { token, amount: String(amount), mpsPerPriorityFeeWei: String(mpsPerPriorityFeeWei) },
        outputs: outputs.map(outputTerms),
        auction: {
          auctionStartBlock: String(auctionStartBlock),
          auctionTargetBlock: String(target),
          baselinePriorityFeeWei: String(baselinePriorityFeeWei),
        },
      },
    };
  },
});
