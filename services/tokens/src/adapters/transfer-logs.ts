/** Token events from an Ethereum node, each range in one request with the headers that identify its chain. */
import { toRangeTooLarge } from '@hindsight/chain/logs/range-limit.ts';
import { readVouched, refuseOtherBlocks } from '@hindsight/chain/logs/vouched-logs.ts';
import { numberToQuantity } from '@hindsight/chain/rpc/hex.ts';
import { sendOne, type EthereumNode } from '@hindsight/chain/rpc/node.ts';
import type { NodeErrorKind } from '@hindsight/chain/rpc/node-error-kind.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { readBlock } from '@hindsight/chain/state/block.ts';
import { bloomBits, mayHold } from '../domain/bloom.ts';
import { TRANSFER_TOPICS, type BlockRange, type RangeReading } from '../domain/transfers.ts';
import type { TransferLogs } from '../ports.ts';
import { hasTransfers, readHeader, readLogs, type Header, type ReadLogs } from './read-log.ts';

const LACKS_BLOCK: ReadonlySet<NodeErrorKind> = new Set(['unknown-block', 'missing-state'] as const);
const TOPIC_BITS = TRANSFER_TOPICS.map(bloomBits);

/** Reads from a node, or from several behind a failover. @param timeoutMs for one range: a node may be slow */
export function createTransferLogs(node: EthereumNode, timeoutMs: number): TransferLogs {
  const blockAt = async (tag: string, signal: AbortSignal): Promise<ReturnType<typeof readBlock>> =>
    readBlock(node.label, await sendOne(node, 'eth_getBlockByNumber', [tag, false], { signal }));
  return {
    finalized: (signal) => blockAt('finalized', signal),
    async firstFrom(height, signal) {
      try {
        if ((await blockAt(numberToQuantity(height), signal)) !== null) return height;
      } catch (error) {
        if (!(error instanceof NodeError && LACKS_BLOCK.has(error.kind))) throw error;
      }
      return Math.max(height, (await blockAt('earliest', signal))?.number ?? height);
    },
    hashAt: async (height, signal) => (await blockAt(numberToQuantity(height), signal))?.hash ?? null,
    async read(range, signal) {
      try {
        return await readRange(node, range, { timeoutMs, signal });
      } catch (error) {
        throw error instanceof NodeError ? toRangeTooLarge(error, range) : error;
      }
    },
  };
}

interface ReadOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function readRange(node: EthereumNode, range: BlockRange, options: ReadOptions): Promise<RangeReading> {
  const answer = await readVouched(node, [{ topics: [TRANSFER_TOPICS] }], range, options);
  const logs = readLogs(node.label, answer.logs[0], range);
  const [first, last] = [answer.first, answer.last].map((end) => readHeader(node.label, end));
  if (first === undefined || last === undefined) throw new TypeError('a range has two ends');
  refuseOtherBlocks(node, [first, last], logs.hashes);
  const ends = range.from === range.to ? [last] : [first, last];
  await refuseLostLogs(node, ends, logs, options.signal);
  return {
    ...range,
    parentHash: first.parentHash,
    hash: last.hash,
    count: logs.count,
    contracts: logs.contracts,
  };
}

/**
 * A node that has lost the past, or has not indexed it yet, may return no logs instead of an error. Where a header
 * says that there may be some (its bloom errs only in this direction) and none came, the block's receipts decide.
 */
async function refuseLostLogs(
  node: EthereumNode,
  headers: readonly Header[],
  logs: ReadLogs,
  signal: AbortSignal,
): Promise<void> {
  for (const { number, bloom } of headers) {
    if (logs.hashes.has(number) || !TOPIC_BITS.some((bits) => mayHold(bloom, bits))) continue;
    const receipts = await sendOne(node, 'eth_getBlockReceipts', [numberToQuantity(number)], { signal });
    if (!hasTransfers(node.label, receipts)) continue;
    throw new NodeError('missing-state', `${node.label} left out the logs of block ${number}`);
  }
}
