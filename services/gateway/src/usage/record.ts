import { Fault } from '@hindsight/kernel/errors.ts';
import type { UsageRecorded } from '@hindsight/events/usage-recorded.ts';

/** Requests that count the same, and their cost, as they are sent. */
export type UsageEntry = UsageRecorded['entries'][number];

export type UsageRecord = Omit<UsageEntry, 'requests' | 'units'>;

/** A counted request could not be made safe. */
export class SpoolFull extends Fault {}

/** Some counted requests, numbered: the contents of one event. */
export interface UsageFrame {
  /** Rises within the producer. */
  readonly sequence: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly entries: readonly UsageEntry[];
}
