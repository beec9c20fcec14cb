/** Reads what `eth_getLogs` and headers say, and believes nothing that contradicts the question. */
import { readBlock, type Block } from '@hindsight/shared/chain/block.ts';
import { dataToBytes, parseHash, quantityToNumber } from '@hindsight/shared/chain/hex.ts';
import { NodeError } from '@hindsight/shared/chain/node-error.ts';
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
  if (!Array.isArray(answer)) throw new NodeError('malformed', `${label} answered logs that are none`);
  const contracts = new Map<string, FirstSeen>();
  const hashes = new Map<number, string>();
  try {
    for (const entry of answer as Record<string, unknown>[]) {
      const seen = readEntry(entry);
      if (seen.block < range.from || seen.block > range.to) throw new TypeError('a log of another block');
      if ((hashes.get(seen.block) ?? seen.blockHash) !== seen.blockHash)
        throw new TypeError('two blocks of one height');
      hashes.set(seen.block, seen.blockHash);
      const known = contracts.get(seen.address);
      if (known === undefined || seen.block < known.block) contracts.set(seen.address, seen);
    }
  } catch (cause) {
    throw new NodeError('malformed', `${label} answered logs that do not fit the question`, { cause });
  }
  return { count: answer.length, contracts, hashes };
}

function readEntry({ address, blockNumber, blockHash, topics, removed }: Record<string, unknown>): FirstSeen {
  if (removed === true || !Array.isArray(topics) || !TOPICS.has(String(topics[0])))
    throw new TypeError('a log that was not asked for');
  if (typeof address !== 'string' || !ADDRESS.test(address)) throw new TypeError('a log without an address');
  return {
    address: address.toLowerCase(),
    block: quantityToNumber(blockNumber),
    blockHash: parseHash(blockHash),
  };
}

/** Reads a header; null where the node has none. @throws {NodeError} `malformed` */
export function readHeader(label: string, answer: unknown): Header | null {
  const block = readBlock(label, answer);
  if (block === null) return null;
  try {
    return { ...block, bloom: dataToBytes((answer as { logsBloom?: unknown }).logsBloom) };
  } catch (cause) {
    throw new NodeError('malformed', `${label} answered a header without a bloom`, { cause });
  }
}

/** Whether the receipts of a block have a token event. @throws {NodeError} where they are not to be had */
export function hasTransfers(label: string, answer: unknown): boolean {
  if (!Array.isArray(answer)) throw new NodeError('missing-state', `${label} has no receipts of the block`);
  return (answer as { logs?: { topics?: unknown[] }[] }[]).some((receipt) =>
    receipt.logs?.some((log) => TOPICS.has(String(log.topics?.[0]))),
  );
}
