/**
 * Reads logs from a node that shows that it has the range. Every reader that trusts logs uses it.
 *
 * Many nodes that have not reached the last block of an `eth_getLogs` answer with the part that they have, or
 * nothing, without an error (go-ethereum#26101, execution-apis#875); so do nodes on a branch that was
 * reorganised away. Guarantees:
 *
 * - Each range is requested with the headers of its first and last block, in one request. Whichever node
 *   takes the request, of a pool or behind a balancer, must have both; ranges that follow each other must
 *   link, parent to child, and the last one must end in the intended block.
 * - A balancer that splits a request, call by call, defeats that: the header may come from another node than
 *   the logs. So the blocks that its nodes may lack, the last ones below the head, are requested by their
 *   hashes (`last-blocks.ts`). After an empty answer, the header of the block is requested again: some nodes
 *   answer an unknown hash with an empty list, which EIP-234 forbids (besu#8007, reth#7371, foundry#14371),
 *   and may have dropped the block while they carried out the calls of the request in parallel.
 *
 * Out of reach: logs that a node omits from blocks which it has; and, behind a balancer that splits requests,
 * a node that is further behind than those last blocks, or one that answers an unknown hash with an empty list.
 */
import { isBeyondHead, isRangeTooLarge } from '../rpc/error-texts.ts';
import { numberToQuantity } from '../rpc/hex.ts';
import { resultOf, type EthereumNode, type RpcCall, type RpcOptions, type RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { headerCall, otherBlock, readBlock, type Block } from '../state/block.ts';
import type { BlockRange } from './block-range.ts';
import type { LogFilter } from './log.ts';

/** The node that answered lacks the block, or has another one: its logs cannot be trusted. */
export class NotVouched extends NodeError {
  constructor(message: string) {
    super('unknown-block', message);
  }
}

export interface RangeEnd {
  readonly block: Block;
  /** The header as the node sent it. */
  readonly answer: unknown;
}

/** A node's answer about a range that it has. */
export interface VouchedLogs {
  /** The result of each question, not parsed. */
  readonly logs: readonly unknown[];
  readonly first: RangeEnd;
  readonly last: RangeEnd;
}

/**
 * Requests the logs of a range and its ends.
 * @throws {NotVouched} if the node has not reached the range's last block
 * @throws {NodeError} `missing-state` if it has dropped the first one; also for any other error of the node
 */
export async function readVouched(
  node: EthereumNode,
  questions: readonly LogFilter[],
  range: BlockRange,
  options: RpcOptions,
): Promise<VouchedLogs> {
  const blocks = { fromBlock: numberToQuantity(range.from), toBlock: numberToQuantity(range.to) };
  const heights = range.from === range.to ? [range.to] : [range.to, range.from];
  // Headers come first: geth answers nothing after a result that makes a batch too large (25 MB), and logs that are read
  // after the last header was there are all of them.
  const calls = [
    ...heights.map(headerCall),
    ...questions.map((question) => logsCall({ ...question, ...blocks })),
  ];
  const outcomes = await node.send(calls, options);
  const logs = outcomes.slice(heights.length);
  const [lastOutcome, firstOutcome] = outcomes.slice(0, heights.length);
  const last = readEnd(node, range.to, lastOutcome);
  if (last instanceof NodeError) throw rangeRefusal(logs) ?? last;
  const answers = logs.map((outcome) => readAnswer(outcome));
  const first = firstOutcome === undefined ? last : readEnd(node, range.from, firstOutcome);
  if (!(first instanceof NodeError)) return { logs: answers, first, last };
  throw first instanceof NotVouched ? new NodeError('missing-state', first.message) : first;
}

/** @throws {NotVouched} if logs name another block than the end of their range that they are from */
export function refuseOtherBlocks(
  { label }: EthereumNode,
  ends: readonly Block[],
  hashes: ReadonlyMap<number, string>,
): void {
  const other = ends.find(({ number, hash }) => (hashes.get(number) ?? hash) !== hash);
  if (other)
    throw new NotVouched(`${label} returned logs and headers of different chains at block ${other.number}`);
}

export function logsCall(filter: Readonly<Record<string, unknown>>): RpcCall {
  return { method: 'eth_getLogs', params: [filter] };
}

function readEnd(
  { label }: EthereumNode,
  height: number,
  outcome: RpcOutcome | undefined,
): RangeEnd | NodeError {
  if (outcome && 'error' in outcome)
    return outcome.error.kind === 'unknown-block' ? new NotVouched(outcome.error.message) : outcome.error;
  const answer = resultOf(outcome);
  const block = readBlock(label, answer);
  if (block === null) return new NotVouched(`${label} has no block ${height}`);
  return block.number === height ? { block, answer } : otherBlock(label);
}

/** A refusal of the range, which some gateways give for all calls of a request. */
function rangeRefusal(outcomes: readonly RpcOutcome[]): NodeError | undefined {
  const refused = outcomes.find((outcome) => 'error' in outcome && isRangeTooLarge(outcome.error.message));
  return refused && 'error' in refused ? refused.error : undefined;
}

/** Behind a balancer that splits requests, the logs may come from a node that lacks what the header's node has. */
function readAnswer(outcome: RpcOutcome): unknown {
  if ('error' in outcome && isBeyondHead(outcome.error.message)) throw new NotVouched(outcome.error.message);
  return resultOf(outcome);
}
