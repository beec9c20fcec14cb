/** Reads the events of single blocks at the nodes, each block with its header in the same request. */
import { dataToBytes, numberToQuantity, parseHash, quantityToNumber } from '@hindsight/chain/rpc/hex.ts';
import { resultOf, type EthereumNode, type RpcCall } from '@hindsight/chain/rpc/node.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { readBlock, type Block } from '@hindsight/chain/state/block.ts';
import { FullBlocks } from '@hindsight/chain/logs/full-blocks.ts';
import { readEach } from '@hindsight/chain/logs/log.ts';
import { logsCall } from '@hindsight/chain/logs/vouched-logs.ts';
import { holdersIn, HOLDER_EVENTS } from '../domain/holder-events.ts';
import type { BlockOfEvents, TokenEvent, TouchedBlock, TransferEvents } from '../ports.ts';

/** Bytes of an answer about several blocks: single events may fill whole blocks. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Reads from a node, or from several behind a failover. */
export function createTransferEvents(node: EthereumNode): TransferEvents {
  const full = new FullBlocks();
  return {
    async read(blocks, holder, signal) {
      const calls = blocks.flatMap((block): RpcCall[] => [
        logsCall(filterOf(block)),
        { method: 'eth_getBlockByNumber', params: [numberToQuantity(block.number), false] },
      ]);
      const outcomes = await (blocks.length > 1
        ? node.send(calls, { signal, maxBytes: MOST_BYTES })
        : full.read((within) => node.send(calls, within), { signal }));
      return blocks.map((block, i) => {
        const [logs, header] = [outcomes[2 * i], outcomes[2 * i + 1]].map(resultOf);
        return readEvents(node.label, { ...block, holder }, logs, readBlock(node.label, header));
      });
    },
  };
}

function filterOf({ number, tokens }: TouchedBlock): Readonly<Record<string, unknown>> {
  const height = numberToQuantity(number);
  return { address: tokens, topics: [HOLDER_EVENTS], fromBlock: height, toBlock: height };
}

/** @throws {NodeError} where the node does not have the block, or not all of its events */
function readEvents(
  label: string,
  { number, hash, tokens, holder }: TouchedBlock & { readonly holder: string | undefined },
  answer: unknown,
  block: Block | null,
): BlockOfEvents {
  const isOther = block?.number !== number || (hash !== undefined && block.hash !== hash);
  if (isOther) throw new NodeError('unknown-block', `${label} does not have block ${number}`);
  const events = readEach(label, answer, (entry) => readEvent(entry, block, tokens));
  // The index, or a search at another time, has seen some.
  const isSeen = (event: TokenEvent): boolean => holder === undefined || holdersIn(event).includes(holder);
  const left = tokens.find((token) => !events.some((event) => event.token === token && isSeen(event)));
  if (left !== undefined)
    throw new NodeError('missing-state', `${label} left out the logs of ${left} in block ${number}`);
  const inOrder = events.toSorted((one, other) => one.logIndex - other.logIndex);
  return { number, hash: block.hash, timestamp: block.timestamp, events: inOrder };
}

function readEvent(
  entry: Readonly<Record<string, unknown>>,
  block: Block,
  tokens: readonly string[],
): TokenEvent {
  const token = String(entry.address).toLowerCase();
  if (!Array.isArray(entry.topics)) throw new TypeError('no log');
  const topics = entry.topics.map(parseHash);
  const isOther =
    !tokens.includes(token) ||
    !HOLDER_EVENTS.includes(topics[0] ?? '') ||
    entry.removed === true ||
    quantityToNumber(entry.blockNumber) !== block.number ||
    parseHash(entry.blockHash) !== block.hash;
  if (isOther) throw new TypeError('a log that was not requested');
  return {
    token,
    topics,
    data: dataToBytes(entry.data),
    transaction: parseHash(entry.transactionHash),
    logIndex: quantityToNumber(entry.logIndex),
  };
}
