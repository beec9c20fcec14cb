/** The blocks in which events of a token concern a holder. */
import type { Log } from '@hindsight/chain/logs/log.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { wordToBigInt } from '@hindsight/chain/rpc/hex.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { addressTopic, TOPICS } from '@hindsight/chain/tokens/token-events.ts';

/** A block with such events. */
export interface TransferBlock {
  readonly number: number;
  readonly hash: string;
  readonly transactions: ReadonlySet<string>;
  /** What came in, less what went out, by the events. */
  readonly net: bigint;
}

interface HolderTransfers {
  /** Ascending. */
  readonly blocks: readonly TransferBlock[];
  /** All blocks up to this one were searched. */
  readonly through: number;
  /** The time was up before that was the last block, or the limit was reached. */
  readonly isCut: boolean;
}

interface TransferSearch {
  readonly token: string;
  readonly holder: string;
  readonly from: number;
  readonly to: Block;
  /** The most blocks to find. */
  readonly limit: number;
  /** By `performance.now()`. */
  readonly deadline: number;
}

/**
 * The first blocks with events, from a block on. It ends early at the deadline.
 * @throws {NodeError} when no node answers, or none has logs of these blocks
 */
export async function findTransfers(
  logs: LogSearch,
  { token, holder, from, to, limit, deadline }: TransferSearch,
  signal: AbortSignal,
): Promise<HolderTransfers> {
  const topic = addressTopic(holder);
  const filters = [
    { address: token, topics: [TOPICS.transfer, null, topic] },
    // Wrapped ether emits these two in place of a transfer.
    { address: token, topics: [[TOPICS.transfer, TOPICS.deposit, TOPICS.withdrawal], topic] },
  ];
  const found = new Map<number, { hash: string; transactions: Set<string>; net: bigint }>();
  let through = from - 1;
  for await (const part of logs.search(filters, { from, to }, { deadline, signal })) {
    for (const log of part.logs) note(log);
    through = part.to;
    if (found.size > limit) break;
  }
  if (through < from) throw new NodeError('timeout', 'no logs could be searched in time');
  const blocks = [...found].map(([number, block]) => ({ number, ...block }));
  blocks.sort((one, other) => one.number - other.number);
  const beyond = blocks[limit];
  return beyond
    ? { blocks: blocks.slice(0, limit), through: beyond.number - 1, isCut: false }
    : { blocks, through, isCut: through < to.number };

  /** A transfer to oneself fits both filters, and comes twice. */
  function note(log: Log): void {
    const block = found.get(log.block) ?? { hash: log.blockHash, transactions: new Set<string>(), net: 0n };
    if (block.hash !== log.blockHash)
      throw new NodeError('unknown-block', 'logs of two blocks of one height');
    block.transactions.add(log.transactionHash);
    block.net += isTransferTwice(log) ? 0n : amountOf(log);
    found.set(log.block, block);
  }

  function isTransferTwice({ topics }: Log): boolean {
    return topics[0] === TOPICS.transfer && topics[1] === topics[2];
  }

  function amountOf({ topics, data }: Log): bigint {
    const isNft = topics.length === 4;
    const value = isNft ? 1n : data.length >= 32 ? wordToBigInt(data) : 0n;
    const isIn = topics[0] === TOPICS.deposit || (topics[0] === TOPICS.transfer && topics[2] === topic);
    return isIn ? value : -value;
  }
}
