/**
 * The receipts of a block, those of some transactions at a time. They have its logs in parts, which `eth_getLogs` does not
 * give of a single block, however many it has.
 */
import { parseHash } from '../rpc/hex.ts';
import { resultOf, type EthereumNode, type RpcCall, type RpcOptions, type RpcOutcome } from '../rpc/node.ts';
import { NodeError, orMalformed } from '../rpc/node-error.ts';
import type { Block } from '../state/block.ts';
import type { FullBlocks } from './full-blocks.ts';
import { mayBeTooLarge } from './range-limit.ts';
import { NotVouched, type RangeEnd } from './vouched-logs.ts';

/** Transactions of one request, if none of them has many logs. */
const PER_REQUEST = 100;

/**
 * Reads the receipts in the block's order. An answer about several is of the usual size; one about a single transaction may be
 * as large as one about a block, which is more than a transaction of 16.8 million gas can fill (EIP-7825).
 * @param header with the hashes of its transactions
 * @throws {NodeError} where the node lacks one, or has it in another block
 */
export async function* readReceipts(
  node: EthereumNode,
  header: RangeEnd,
  options: RpcOptions & { readonly full: FullBlocks },
): AsyncGenerator<readonly unknown[]> {
  const { full, ...asked } = options;
  const transactions = readTransactions(node.label, header);
  let size = PER_REQUEST;
  for (let at = 0; at < transactions.length;) {
    const part = transactions.slice(at, at + size);
    const ask = async (within: RpcOptions): Promise<readonly unknown[]> => {
      const outcomes = await node.send(part.map(receiptCall), within);
      return outcomes.map((outcome, i) => readReceipt(node.label, outcome, part[i]!, header.block));
    };
    let receipts: readonly unknown[];
    try {
      receipts = await (part.length === 1 ? full.read(ask, asked) : ask(asked));
    } catch (error) {
      if (part.length === 1 || !(error instanceof NodeError && mayBeTooLarge(error))) throw error;
      size = Math.floor(part.length / 2);
      continue;
    }
    yield receipts;
    at += part.length;
    size = Math.min(PER_REQUEST, 2 * size);
  }
}

function readTransactions(label: string, { block, answer }: RangeEnd): readonly string[] {
  const { transactions } = answer as { transactions?: readonly unknown[] };
  return orMalformed(`${label} returned block ${block.number} without its transactions`, () =>
    transactions!.map(parseHash),
  );
}

function receiptCall(transaction: string): RpcCall {
  return { method: 'eth_getTransactionReceipt', params: [transaction] };
}

function readReceipt(label: string, outcome: RpcOutcome, transaction: string, { hash }: Block): unknown {
  const receipt = resultOf(outcome) as { transactionHash?: unknown; blockHash?: unknown } | null;
  if (receipt === null) throw new NodeError('missing-state', `${label} has no receipt of ${transaction}`);
  if (receipt.transactionHash !== transaction || receipt.blockHash !== hash)
    throw new NotVouched(`${label} has ${transaction} in another block than ${hash}`);
  return receipt;
}
