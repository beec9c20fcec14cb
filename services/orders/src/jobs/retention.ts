/** Removes orders that are published and can no longer be accepted, or were received a year ago. */
import type { Platform } from '@hindsight/kernel/platform.ts';
import { Job } from '@hindsight/kernel/job.ts';
import type { OrderStore } from '../ports.ts';

export interface RetentionDeps extends Pick<Platform, 'clock' | 'logger'> {
  readonly orders: OrderStore;
  /** The minimum age of an order that is removed, in milliseconds. */
  readonly keepMs: number;
  /** Seconds that an order is kept longer while its end is not decided. */
  readonly undecidedSeconds?: number;
}

const LOOK_EVERY_MS = 60_000;
/** Orders that are removed in one step. */
const AT_ONCE = 500;
/** An order is a duplicate, and not late, for a while after its deadline: clocks differ. */
const DEADLINE_MARGIN_SECONDS = 3_600;
/** A week: nodes may be unavailable for that long before the ends of orders are lost. */
const UNDECIDED_SECONDS = 7 * 86_400;

/** Creates the job, not yet started. */
export function createRetentionJob({
  orders,
  clock,
  logger,
  keepMs,
  undecidedSeconds = UNDECIDED_SECONDS,
}: RetentionDeps): Job {
  return new Job({
    name: 'retention of orders',
    everyMs: LOOK_EVERY_MS,
    logger,
    async work() {
      const now = clock.now();
      const deadlineBefore = Math.floor(now / 1000) - DEADLINE_MARGIN_SECONDS;
      const openDeadlineBefore = deadlineBefore - undecidedSeconds;
      const bounds = { receivedBefore: now - keepMs, deadlineBefore, openDeadlineBefore };
      const removed = await orders.removeOld(bounds, AT_ONCE);
      return removed === AT_ONCE;
    },
  });
}
