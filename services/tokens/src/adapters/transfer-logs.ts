/** Token events from an Ethereum node, each range in one request with the headers that identify its chain. */
import { toRangeTooLarge } from '@hindsight/chain/logs/range-limit.ts';
import { numberToQuantity } from '@hindsight/chain/rpc/hex.ts';
import { resultOf, sendOne, type EthereumNode, type RpcCall } from '@hindsight/chain/rpc/node.ts';
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
  const ends = range.from === range.to ? [range.from] : [range.from, range.to];
  const outcomes = await node.send([logsCall(range), ...ends.map(headerCall)], options);
  const logs = readLogs(node.label, resultOf(outcomes[0]), range);
  const headers = ends.map((height, at) => {
    const header = readHeader(node.label, resultOf(outcomes[at + 1]));
    if (header === null) throw new NodeError('unknown-block', `${node.label} has no block ${height}`);
    return fit(node.label, header, height, logs);
  });
  const [first, last = first] = headers;
  if (first === undefined || last === undefined) throw new TypeError('a range has a first block');
  await refuseLostLogs(node, headers, logs, options.signal);
  return {
    ...range,
    parentHash: first.parentHash,
    hash: last.hash,
    count: logs.count,
    contracts: logs.contracts,
  };
}

function logsCall({ from, to }: BlockRange): RpcCall {
  const filter = {
    fromBlock: numberToQuantity(from),
    toBlock: numberToQuantity(to),
    topics: [TRANSFER_TOPICS],
  };
  return { method: 'eth_getLogs', params: [filter] };
}

function headerCall(height: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [numberToQuantity(height), false] };
}

function fit(label: string, header: Header, height: number, logs: ReadLogs): Header {
  const named = logs.hashes.get(height) ?? header.hash;
  if (header.number !== height || named !== header.hash)
    throw new NodeError('malformed', `${label} returned logs and headers of different chains`);
  return header;
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
