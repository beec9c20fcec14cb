/** Parses `eth_getLogs` and headers, and refuses answers that contradict the question. */
import type { RangeEnd } from '@hindsight/chain/logs/vouched-logs.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { dataToBytes, parseHash, quantityToNumber } from '@hindsight/chain/rpc/hex.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { ETHER_LOGS } from '@hindsight/chain/tokens/token-events.ts';
import { TRANSFER_TOPICS, type BlockRange, type FirstSeen } from '../domain/transfers.ts';

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const TOPICS = new Set(TRANSFER_TOPICS);

/** Contracts that have events in a range, and which of its end blocks have any. */
export interface ReadLogs {
  readonly count: number;
  readonly contracts: ReadonlyMap<string, FirstSeen>;
  /** The hash that the events of a block name, for each block with events. */
  readonly hashes: ReadonlyMap<number, string>;
}

/** A header with its bloom. */
export interface Header extends Block {
  readonly bloom: Buffer;
}

/** Reads the answer to `eth_getLogs`. @throws {NodeError} `malformed` */
export function readLogs(label: string, answer: unknown, range: BlockRange): ReadLogs {
  if (!Array.isArray(answer)) throw new NodeError('malformed', `${label} returned malformed logs`);
  const found: Found = { contracts: new Map(), hashes: new Map(), last: undefined };
  try {
    for (const entry of answer as Record<string, unknown>[]) readEntry(entry, range, found);
  } catch (cause) {
    throw new NodeError('malformed', `${label} returned logs that do not match the request`, { cause });
  }
  return { count: answer.length, contracts: found.contracts, hashes: found.hashes };
}

interface Found {
  readonly contracts: Map<string, FirstSeen>;
  readonly hashes: Map<number, string>;
  /** The previous log as the node wrote it. Hundreds in a row share a block, and comparing is faster than parsing. */
  last: Written | undefined;
}

interface Written {
  readonly number: unknown;
  readonly hash: unknown;
  readonly block: number;
  readonly topic: unknown;
  readonly address: unknown;
}

function readEntry(entry: Record<string, unknown>, range: BlockRange, found: Found): void {
  const { address, topics, removed, blockNumber: number, blockHash: hash } = entry;
  const { last } = found;
  const topic: unknown = Array.isArray(topics) ? topics[0] : undefined;
  if (removed === true || topic === undefined || (topic !== last?.topic && !TOPICS.has(topic as string)))
    throw new TypeError('a log that was not requested');
  const before = number === last?.number && hash === last?.hash ? last : undefined;
  if (before !== undefined && address === before.address) return;
  const block = before?.block ?? readPosition({ number, hash }, range, found);
  found.last = { number, hash, block, topic, address };
  // Most logs are of contracts that the range has shown already, in the same spelling.
  const known = found.contracts.get(String(address));
  if (known !== undefined && known.block <= block) return;
  if (typeof address !== 'string' || !ADDRESS.test(address)) throw new TypeError('a log without an address');
  const contract = address.toLowerCase();
  // Ether's transfers are no token's, and their address has no contract.
  if (contract === ETHER_LOGS) return;
  const seen = { address: contract, block, blockHash: found.hashes.get(block) ?? '' };
  const earlier = found.contracts.get(seen.address);
  if (earlier === undefined || block < earlier.block) found.contracts.set(seen.address, seen);
}

function readPosition(
  { number, hash: written }: { readonly number: unknown; readonly hash: unknown },
  range: BlockRange,
  { hashes }: Found,
): number {
  const block = quantityToNumber(number);
  const hash = parseHash(written);
  if (block < range.from || block > range.to) throw new TypeError('a log of another block');
  if ((hashes.get(block) ?? hash) !== hash) throw new TypeError('two blocks of one height');
  hashes.set(block, hash);
  return block;
}

/** Reads the bloom of a header. @throws {NodeError} `malformed` */
export function readHeader(label: string, { block, answer }: RangeEnd): Header {
  try {
    return { ...block, bloom: dataToBytes((answer as { logsBloom?: unknown }).logsBloom) };
  } catch (cause) {
    throw new NodeError('malformed', `${label} returned a header without a bloom`, { cause });
  }
}

/** Whether the receipts of a block have a token event. @throws {NodeError} where they are not to be had */
export function hasTransfers(label: string, answer: unknown): boolean {
  if (!Array.isArray(answer)) throw new NodeError('missing-state', `${label} has no receipts of the block`);
  return (answer as { logs?: { topics?: unknown[] }[] }[]).some((receipt) =>
    receipt.logs?.some((log) => TOPICS.has(String(log.topics?.[0]))),
  );
}
