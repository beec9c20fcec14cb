/** The blocks in which events of a token concern a holder. */
import type { Log, LogFilter } from '@hindsight/chain/logs/log.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { wordToBigInt } from '@hindsight/chain/rpc/hex.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { addressTopic, TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import type { PeriodFlow } from '../domain/statement.ts';

export interface TransferBlock {
  readonly number: number;
  readonly hash: string;
  readonly transactions: ReadonlySet<string>;
  readonly movements: readonly Movement[];
}

/** Amounts in and out by one event. */
interface Movement {
  readonly transaction: string;
  /** `move`: a Transfer; `wrap`: a Deposit or Withdrawal, which some tokens emit in addition. */
  readonly kind: 'move' | 'wrap';
  /** A Transfer from or to the zero address, or the token itself. */
  readonly isWrapping: boolean;
  readonly isIn: boolean;
  readonly value: bigint;
}

export interface HolderTransfers extends TransferRange {
  /** The time was up before that was the last block, or the limit was reached. */
  readonly isCut: boolean;
}

/** Blocks with events, ascending, and the last block that was searched for them. */
interface TransferRange {
  readonly blocks: readonly TransferBlock[];
  readonly through: number;
}

export interface TransferSearch {
  readonly token: string;
  readonly holder: string;
  readonly from: number;
  readonly to: Block;
  /** By `performance.now()`. */
  readonly deadline: number;
}

/**
 * The first blocks with events, from a block on. It ends early at the deadline.
 * @throws {NodeError} when no node answers, or none has logs of these blocks
 */
export async function findTransfers(
  logs: LogSearch,
  { limit, ...search }: TransferSearch & { /** The most blocks to find. */ readonly limit: number },
  signal: AbortSignal,
): Promise<HolderTransfers> {
  const blocks: TransferBlock[] = [];
  let through = search.from - 1;
  for await (const part of eachTransfers(logs, search, signal)) {
    blocks.push(...part.blocks);
    through = part.through;
    if (blocks.length > limit) break;
  }
  if (through < search.from) throw new NodeError('timeout', 'no logs could be searched in time');
  const beyond = blocks[limit];
  return beyond
    ? { blocks: blocks.slice(0, limit), through: beyond.number - 1, isCut: false }
    : { blocks, through, isCut: through < search.to.number };
}

/**
 * All blocks with events, range by range from a block on. It ends early at the deadline.
 * @throws {NodeError} when no node answers, or none has logs of these blocks
 */
export async function* eachTransfers(
  logs: LogSearch,
  { token, holder, from, to, deadline }: TransferSearch,
  signal: AbortSignal,
): AsyncGenerator<TransferRange, void> {
  const filters = filtersOf(token, holder);
  for await (const part of logs.search(filters, { from, to }, { deadline, signal }))
    yield { blocks: blocksOf(part.logs, holder), through: part.to };
}

/** The events of a token that name a holder. */
export function filtersOf(token: string, holder: string): readonly LogFilter[] {
  const topic = addressTopic(holder);
  return [
    { address: token, topics: [TOPICS.transfer, null, topic] },
    // Wrapped ether emits these two in place of a transfer.
    { address: token, topics: [[TOPICS.transfer, TOPICS.deposit, TOPICS.withdrawal], topic] },
  ];
}

/** The blocks of logs that `filtersOf` found, ascending. */
export function blocksOf(logs: readonly Log[], holder: string): readonly TransferBlock[] {
  const topic = addressTopic(holder);
  const found = new Map<number, { hash: string; transactions: Set<string>; movements: Movement[] }>();
  for (const log of logs) {
    const block = found.get(log.block) ?? { hash: log.blockHash, transactions: new Set(), movements: [] };
    if (block.hash !== log.blockHash)
      throw new NodeError('unknown-block', 'logs of two blocks of one height');
    block.transactions.add(log.transactionHash);
    const movement = readMovement(log, topic);
    if (movement) block.movements.push(movement);
    found.set(log.block, block);
  }
  const blocks = [...found].map(([number, block]) => ({ number, ...block }));
  return blocks.sort((one, other) => one.number - other.number);
}

/** Amount in less amount out, by the events of a token of this standard. */
export function netOf(movements: readonly Movement[], type: 'erc20' | 'erc721'): bigint {
  const flow = flowOf(movements, type);
  return flow.in - flow.out;
}

/**
 * Amounts in and out, by the events of a token of this standard. Of an ERC-721 each transfer moves one. A
 * Deposit or Withdrawal counts once with a Transfer of the same transaction and amount from or to the zero
 * address or the token itself.
 */
export function flowOf(movements: readonly Movement[], type: 'erc20' | 'erc721'): PeriodFlow {
  const wrapped = new Map<string, number>();
  const flow = { in: 0n, out: 0n, transfers: 0 };
  const add = ({ isIn }: Movement, value: bigint): void => {
    flow[isIn ? 'in' : 'out'] += value;
    flow.transfers += 1;
  };
  const keyOf = ({ transaction, isIn, value }: Movement): string => `${transaction} ${isIn} ${value}`;
  for (const movement of movements) {
    if (movement.kind !== 'move') continue;
    add(movement, type === 'erc721' ? 1n : movement.value);
    if (movement.isWrapping) wrapped.set(keyOf(movement), (wrapped.get(keyOf(movement)) ?? 0) + 1);
  }
  if (type === 'erc721') return flow;
  for (const movement of movements) {
    if (movement.kind !== 'wrap') continue;
    const said = wrapped.get(keyOf(movement)) ?? 0;
    if (said > 0) wrapped.set(keyOf(movement), said - 1);
    else add(movement, movement.value);
  }
  return flow;
}

const ZERO_WORD = `0x${'0'.repeat(64)}`;

/** Undefined for a transfer to oneself, which fits both filters. @param holder as a topic */
function readMovement({ address, topics, data, transactionHash }: Log, holder: string): Movement | undefined {
  // Parameters without a topic are in the data: some tokens index the value, as an ERC-721 does its id, some only the sender.
  const [event, from, to = `0x${data.toString('hex', 0, 32)}`] = topics;
  const isTransfer = event === TOPICS.transfer;
  const place = isTransfer ? 3 : 2;
  const at = 32 * (place - topics.length);
  const read = (): bigint => (data.length >= at + 32 ? wordToBigInt(data, at) : 0n);
  const moved = { transaction: transactionHash, value: at < 0 ? BigInt(topics[place]!) : read() };
  if (!isTransfer) return { ...moved, kind: 'wrap', isWrapping: false, isIn: event === TOPICS.deposit };
  if (from === to) return undefined;
  const isIn = to === holder;
  const other = isIn ? from : to;
  return { ...moved, kind: 'move', isWrapping: other === ZERO_WORD || other === addressTopic(address), isIn };
}
