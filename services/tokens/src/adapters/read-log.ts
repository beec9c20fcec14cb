/** Parses `eth_getLogs` and headers, and refuses answers that contradict the question. */
import { readBlock, type Block } from '@hindsight/chain/state/block.ts';
import { dataToBytes, parseHash, quantityToNumber } from '@hindsight/chain/rpc/hex.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
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
  const found: Found = { contracts: new Map(), hashes: new Map(), spelt: new Map() };
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
  /** Blocks by how the node writes their number and hash, which hundreds of logs repeat. */
  readonly spelt: Map<string, number>;
}

function readEntry(entry: Record<string, unknown>, range: BlockRange, found: Found): void {
  const { address, topics, removed } = entry;
  if (removed === true || !Array.isArray(topics) || !TOPICS.has(String(topics[0])))
    throw new TypeError('a log that was not requested');
  const block = readPosition(entry, range, found);
  // Most logs are of contracts that the range has shown already, in the same spelling.
  const known = found.contracts.get(String(address));
  if (known !== undefined && known.block <= block) return;
  if (typeof address !== 'string' || !ADDRESS.test(address)) throw new TypeError('a log without an address');
  const seen = { address: address.toLowerCase(), block, blockHash: found.hashes.get(block) ?? '' };
  const before = found.contracts.get(seen.address);
  if (before === undefined || block < before.block) found.contracts.set(seen.address, seen);
}

function readPosition(
  { blockNumber, blockHash }: Record<string, unknown>,
  range: BlockRange,
  found: Found,
): number {
  const spelling = `${String(blockNumber)}${String(blockHash)}`;
  const known = found.spelt.get(spelling);
  if (known !== undefined) return known;
  const block = quantityToNumber(blockNumber);
  const hash = parseHash(blockHash);
  if (block < range.from || block > range.to) throw new TypeError('a log of another block');
  if ((found.hashes.get(block) ?? hash) !== hash) throw new TypeError('two blocks of one height');
  found.hashes.set(block, hash);
  found.spelt.set(spelling, block);
  return block;
}

/** Reads a header; null where the node has none. @throws {NodeError} `malformed` */
export function readHeader(label: string, answer: unknown): Header | null {
  const block = readBlock(label, answer);
  if (block === null) return null;
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
