import { toChecksum } from '@hindsight/chain/address.ts';
import { dataToBytes, parseHash, quantityToBigInt, quantityToNumber } from '@hindsight/chain/rpc/hex.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { resultOf, type EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { paidAmounts, type TransactionLog } from '../domain/paid-amounts.ts';
import { resolveAmounts, type FillTerms } from '../domain/resolved-amounts.ts';
import type { FillReader } from '../ports.ts';

type Json = Readonly<Record<string, unknown>>;

/** Reads what fills have paid, from their receipts and the headers of their blocks. */
export function createNodeFills(node: EthereumNode): FillReader {
  return {
    async paid({ order, payload }, { transaction, blockHash, filler }, signal) {
      const calls = [
        { method: 'eth_getTransactionReceipt', params: [transaction] },
        { method: 'eth_getBlockByHash', params: [blockHash, false] },
      ];
      try {
        const answers = (await node.send(calls, { signal, independent: true })).map(resultOf);
        const { terms, logs } = read(answers as [Json, Json], blockHash);
        const { orderHash } = payload;
        const place = { orderHash, reactor: order.reactor.toLowerCase(), swapper: order.swapper };
        return paidAmounts(resolveAmounts(order, { ...terms, filler: toChecksum(filler) }), logs, place);
      } catch (error) {
        // A fault that passes may be gone when the receipt is read again.
        if (signal.aborted || (error instanceof NodeError && error.isTransient)) throw error;
        return { amounts: null, amountsReason: 'the receipt could not be read' };
      }
    },
  };
}

/** @throws {TypeError} for anything but the receipt and the header of that block */
function read(
  [receipt, header]: readonly [Json, Json],
  blockHash: string,
): { readonly terms: Omit<FillTerms, 'filler'>; readonly logs: readonly TransactionLog[] } {
  const isOther = parseHash(receipt.blockHash) !== blockHash || parseHash(header.hash) !== blockHash;
  if (isOther || !Array.isArray(receipt.logs)) throw new TypeError('expected the receipt of a block');
  return {
    terms: {
      height: quantityToNumber(header.number),
      timestamp: quantityToNumber(header.timestamp),
      // Chains without a fee market have none.
      baseFee: header.baseFeePerGas === undefined ? 0n : quantityToBigInt(header.baseFeePerGas),
      gasPrice: quantityToBigInt(receipt.effectiveGasPrice),
    },
    logs: (receipt.logs as readonly Json[]).map(({ address, topics, data }) => ({
      address: String(address).toLowerCase(),
      topics: (topics as readonly unknown[]).map(parseHash),
      data: `0x${dataToBytes(data).toString('hex')}`,
    })),
  };
}
