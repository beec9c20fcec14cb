/** Shared by the searches for changes of a token's balance and of ether. */
import type { EtherLogs } from '@hindsight/chain/logs/ether-logs.ts';
import type { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { EventIndex } from './event-index.ts';
import type { TransferBlock } from './holder-transfers.ts';
import type { RangeDeps } from './ranges.ts';
import type { Gap, Sample } from './state-gaps.ts';

export interface ChangesDeps extends RangeDeps {
  readonly logs: LogSearch;
  readonly index?: EventIndex | undefined;
  readonly etherLogs: EtherLogs;
  /** Milliseconds for a request in all. */
  readonly deadlineMs: number;
}

/** The changes of a page: after a block, up to another. */
export interface PageSearch {
  /** EIP-55. */
  readonly holder: string;
  readonly from: Block;
  readonly to: Block;
  readonly limit: number;
}

export interface FoundChange extends Gap {
  /** The events of the later block; undefined where none explains the change. */
  readonly transfer: TransferBlock | undefined;
}

export interface FoundPage {
  /** Ascending; there may be more than a page has room for. */
  readonly changes: readonly FoundChange[];
  /** All changes up to here were found. */
  readonly end: Block;
  /** Some could not be searched as far as possible in time. */
  readonly isCut: boolean;
  /** The last block at which a token had a balance, of those that were read. */
  readonly heldAt?: Block | undefined;
  /** The source of a token's events: the index and the logs after its end, or logs alone. */
  readonly how?: 'index' | 'logs' | undefined;
  /**
   * True if no change can have been missed, and each is known to its block; undefined without that promise.
   */
  readonly isComplete?: boolean | undefined;
}

/** Parts of a request's time: for the search of logs, and then for that of changes without an event. */
export const LOGS_SHARE = 0.4;
export const GAPS_SHARE = 0.3;

/** @throws {NodeError} where logs, samples and the end are not of one chain */
export function refuseOtherChain(
  samples: readonly Sample[],
  transfers: readonly TransferBlock[],
  to: Block,
): void {
  const hashes = new Map(samples.map(({ block }) => [block.number, block.hash]));
  const named = [...transfers, ...(hashes.has(to.number) ? [to] : [])];
  const other = named.find(({ number, hash }) => hashes.get(number) !== hash);
  if (other) throw new NodeError('unknown-block', `block ${other.number} was reorganised away`);
}
