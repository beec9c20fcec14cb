import { describeProgress, type IndexState } from '@hindsight/indexing/progress.ts';
import { isHeld } from '@hindsight/stores/leases.ts';
import type { TokenList } from './ports.ts';

/** The state of an index, for people and scripts. */
export interface IndexSnapshot {
  /** One line. */
  readonly progress: string;
  readonly state: IndexState | null;
  /** The first and last indexed block; null before the first range. */
  readonly from: number | null;
  readonly block: number | null;
  readonly hash: string | null;
  /** The last finalized block of the chain, as the indexer last knew. */
  readonly finalized: number | null;
  readonly tokens: number;
  readonly blocksPerSecond: number | null;
  /** The instance that indexes now; null if none does. */
  readonly indexer: string | null;
  /** When the indexer last reported: ISO 8601. */
  readonly saidAt: string | null;
}

/** Reads how far an index is. @param now Unix milliseconds */
export async function describeIndexState(index: TokenList, now = Date.now()): Promise<IndexSnapshot> {
  const [checkpoint, lease] = await Promise.all([index.checkpoint(), index.lease()]);
  const status = lease?.status ?? null;
  return {
    progress: describeProgress(checkpoint?.number ?? null, status),
    state: status?.state ?? null,
    from: checkpoint?.from ?? null,
    block: checkpoint?.number ?? null,
    hash: checkpoint?.hash ?? null,
    finalized: status?.finalized ?? null,
    tokens: checkpoint?.count ?? 0,
    blocksPerSecond: status?.blocksPerSecond ?? null,
    indexer: lease !== null && isHeld(lease.until, now) ? lease.holder : null,
    saidAt: status === null ? null : new Date(status.at).toISOString(),
  };
}
