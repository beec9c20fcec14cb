/** Events from an Ethereum node, each range in one request with the headers that identify its chain. */
import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import { FullBlocks } from '@hindsight/chain/logs/full-blocks.ts';
import { isTooLarge, toRangeTooLarge } from '@hindsight/chain/logs/range-limit.ts';
import { readReceipts } from '@hindsight/chain/logs/receipts.ts';
import { readVouched, refuseOtherBlocks, type RangeEnd } from '@hindsight/chain/logs/vouched-logs.ts';
import { numberToQuantity } from '@hindsight/chain/rpc/hex.ts';
import { sendOne, type EthereumNode, type RpcOptions } from '@hindsight/chain/rpc/node.ts';
import type { NodeErrorKind } from '@hindsight/chain/rpc/node-error-kind.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { askHeader, type Block } from '@hindsight/chain/state/block.ts';
import { mayHold } from './bloom.ts';
import type { LogReduction, RangeReading } from './range-reading.ts';
import { bloomOf, eventsIn, readLogs, startReading, type EventFilter, type ReadLogs } from './read-log.ts';

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
  const full = new FullBlocks();
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
      const options = { timeoutMs, signal };
      const isOne = range.from === range.to;
      const ask = (within: RpcOptions): Promise<RangeReading<Found>> =>
        readRange(node, range, reduction, { ...within, full });
      try {
        return await (isOne ? full.read(ask, options) : ask(options));
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (isOne && isTooLarge(error)) return readFullBlock(node, range, reduction, { ...options, full });
        throw toRangeTooLarge(error, range);
      }
    },
  };
}

interface ReadOptions extends RpcOptions {
  readonly full: FullBlocks;
}

async function readRange<Found>(
  node: EthereumNode,
  range: BlockRange,
  reduction: LogReduction<Found>,
  options: ReadOptions,
): Promise<RangeReading<Found>> {
  const { topics, address } = reduction;
  const question = { topics: [topics], ...(address === undefined ? {} : { address }) };
  const answer = await readVouched(node, [question], range, options);
  const logs = readLogs(node.label, answer.logs[0], range, reduction);
  const { first, last } = answer;
  refuseOtherBlocks(node, [first.block, last.block], logs.hashes);
  const ends = range.from === range.to ? [last] : [first, last];
  await refuseLostLogs(node, ends, { ...reduction, hashes: logs.hashes }, options);
  const { count, found } = logs;
  return { ...range, parentHash: first.block.parentHash, hash: last.block.hash, count, found };
}

/** Reads a block whose logs are too many for one answer from its receipts. */
async function readFullBlock<Found>(
  node: EthereumNode,
  range: BlockRange,
  reduction: LogReduction<Found>,
  options: ReadOptions,
): Promise<RangeReading<Found>> {
  const { last } = await readVouched(node, [], range, options);
  const { read, end } = startReading(node.label, range, reduction);
  for await (const receipts of readReceipts(node, last, options))
    read(eventsIn(node.label, receipts, reduction));
  const { count, found, hashes } = end();
  refuseOtherBlocks(node, [last.block], hashes);
  const { parentHash, hash } = last.block;
  return { ...range, parentHash, hash, count, found };
}

/**
 * A node that has lost the past, or has not indexed it yet, may return no logs instead of an error. Where a header
 * says that there may be some (its bloom errs only in this direction) and none came, the block's receipts decide.
 */
async function refuseLostLogs(
  node: EthereumNode,
  ends: readonly RangeEnd[],
  read: EventFilter & Pick<ReadLogs<unknown>, 'hashes'>,
  options: ReadOptions,
): Promise<void> {
  const { topics, address, hashes } = read;
  for (const end of ends) {
    const { number } = end.block;
    const bloom = bloomOf(node.label, end);
    const mayBeOf = address === undefined || mayHold(bloom, address);
    const may = mayBeOf && topics.some((topic) => mayHold(bloom, topic));
    if (hashes.has(number) || !may || !(await hasEvents(node, end, read, options))) continue;
    throw new NodeError('missing-state', `${node.label} left out the logs of block ${number}`);
  }
}

/** True if the receipts of a block have one of the events. @throws {NodeError} if they are not available */
async function hasEvents(
  node: EthereumNode,
  end: RangeEnd,
  filter: EventFilter,
  options: ReadOptions,
): Promise<boolean> {
  const params = [numberToQuantity(end.block.number)];
  try {
    const receipts = await sendOne(node, 'eth_getBlockReceipts', params, { signal: options.signal });
    return eventsIn(node.label, receipts, filter).length > 0;
  } catch (error) {
    if (!(error instanceof NodeError && isTooLarge(error))) throw error;
  }
  for await (const receipts of readReceipts(node, end, options))
    if (eventsIn(node.label, receipts, filter).length > 0) return true;
  return false;
}
