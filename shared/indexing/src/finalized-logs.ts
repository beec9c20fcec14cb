/** Events from an Ethereum node, each range in one request with the headers that identify its chain. */
import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import { BLOCK_BYTES } from '@hindsight/chain/logs/full-blocks.ts';
import { toRangeTooLarge } from '@hindsight/chain/logs/range-limit.ts';
import { readVouched, refuseOtherBlocks } from '@hindsight/chain/logs/vouched-logs.ts';
import { numberToQuantity } from '@hindsight/chain/rpc/hex.ts';
import { sendOne, type EthereumNode, type RpcOptions } from '@hindsight/chain/rpc/node.ts';
import type { NodeErrorKind } from '@hindsight/chain/rpc/node-error-kind.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { askHeader, type Block } from '@hindsight/chain/state/block.ts';
import { mayHold } from './bloom.ts';
import type { LogReduction, RangeReading } from './range-reading.ts';
import { hasEvents, readHeader, readLogs, type EventFilter, type Header, type ReadLogs } from './read-log.ts';

/** A finalized block. */
export type FinalizedBlock = Block;

/** Reads events from the chain. Methods throw a NodeError where no node has a usable answer; the signal aborts. */
export interface FinalizedLogs<Found> {
  readonly reduction: LogReduction<Found>;
  /** The last finalized block; null where the chain has none yet. */
  finalized(signal: AbortSignal): Promise<FinalizedBlock | null>;
  /** The first block at that height or above that nodes have: they may have dropped older ones, or never had them. */
  firstFrom(height: number, signal: AbortSignal): Promise<number>;
  /** The hash of a block, null where the node has none at that height. */
  hashAt(height: number, signal: AbortSignal): Promise<string | null>;
  /** Reads a range. @throws {RangeTooLarge} where the node allows only smaller ones */
  read(range: BlockRange, signal: AbortSignal): Promise<RangeReading<Found>>;
}

const LACKS_BLOCK: ReadonlySet<NodeErrorKind> = new Set(['unknown-block', 'missing-state'] as const);

/** Reads from a node, or from several behind a failover. @param timeoutMs for one range: a node may be slow */
export function createFinalizedLogs<Found>(
  node: EthereumNode,
  reduction: LogReduction<Found>,
  timeoutMs: number,
): FinalizedLogs<Found> {
  return {
    reduction,
    finalized: (signal) => askHeader(node, 'finalized', { signal }),
    async firstFrom(height, signal) {
      try {
        if ((await askHeader(node, height, { signal })) !== null) return height;
      } catch (error) {
        if (!(error instanceof NodeError && LACKS_BLOCK.has(error.kind))) throw error;
      }
      return Math.max(height, (await askHeader(node, 'earliest', { signal }))?.number ?? height);
    },
    hashAt: async (height, signal) => (await askHeader(node, height, { signal }))?.hash ?? null,
    async read(range, signal) {
      try {
        return await readRange(node, range, reduction, { timeoutMs, signal, maxBytes: BLOCK_BYTES });
      } catch (error) {
        throw error instanceof NodeError ? toRangeTooLarge(error, range) : error;
      }
    },
  };
}

async function readRange<Found>(
  node: EthereumNode,
  range: BlockRange,
  reduction: LogReduction<Found>,
  options: RpcOptions,
): Promise<RangeReading<Found>> {
  const { topics, address } = reduction;
  const question = { topics: [topics], ...(address === undefined ? {} : { address }) };
  const answer = await readVouched(node, [question], range, options);
  const logs = readLogs(node.label, answer.logs[0], range, reduction);
  const [first, last] = [readHeader(node.label, answer.first), readHeader(node.label, answer.last)];
  refuseOtherBlocks(node, [first, last], logs.hashes);
  const ends = range.from === range.to ? [last] : [first, last];
  await refuseLostLogs(node, ends, { ...reduction, hashes: logs.hashes }, options);
  const { count, found } = logs;
  return { ...range, parentHash: first.parentHash, hash: last.hash, count, found };
}

/**
 * A node that has lost the past, or has not indexed it yet, may return no logs instead of an error. Where a header
 * says that there may be some (its bloom errs only in this direction) and none came, the block's receipts decide.
 */
async function refuseLostLogs(
  node: EthereumNode,
  headers: readonly Header[],
  read: EventFilter & Pick<ReadLogs<unknown>, 'hashes'>,
  { signal, maxBytes }: RpcOptions,
): Promise<void> {
  const { topics, address, hashes } = read;
  for (const { number, bloom } of headers) {
    const mayBeOf = address === undefined || mayHold(bloom, address);
    const may = mayBeOf && topics.some((topic) => mayHold(bloom, topic));
    if (hashes.has(number) || !may) continue;
    const params = [numberToQuantity(number)];
    const receipts = await sendOne(node, 'eth_getBlockReceipts', params, { signal, maxBytes });
    if (!hasEvents(node.label, receipts, read)) continue;
    throw new NodeError('missing-state', `${node.label} left out the logs of block ${number}`);
  }
}
