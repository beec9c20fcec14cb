/** A calendar of finalized blocks, which outlives the process that found them. */
import type { Block } from '../state/block.ts';

const HOUR = 3_600;

/** The latest known block of an hour: its time is after the hour before, and not after the hour. */
export interface CalendarEntry {
  /** Hours since 1970, at the end of the hour. */
  readonly hour: number;
  readonly block: Block;
  /** True if the next block is after the hour: then this is the hour's block as a date. */
  readonly isLast: boolean;
}

/** Keeps finalized blocks by hour. None of its methods fails: an unreachable calendar counts as empty. */
export interface BlockCalendar {
  /** All entries; undefined while they cannot be read. */
  load(): Promise<readonly CalendarEntry[] | undefined>;
  /** Stores entries. One that is not the last of its hour never replaces another. */
  keep(entries: readonly CalendarEntry[]): Promise<void>;
  /** Forgets everything: a block in it contradicts the chain. */
  clear(): Promise<void>;
}

export function hourOf({ timestamp }: Block): number {
  return Math.ceil(timestamp / HOUR);
}

/** The moment that an hour ends, in Unix seconds. */
export function endOf(hour: number): number {
  return hour * HOUR;
}

/**
 * The entries that blocks make, one an hour.
 * @param blocks finalized ones, ascending
 */
export function entriesOf(blocks: readonly Block[]): readonly CalendarEntry[] {
  const entries = new Map<number, CalendarEntry>();
  blocks.forEach((block, i) => {
    const hour = hourOf(block);
    // A next block of the same hour takes its place.
    const isLast = blocks[i + 1]?.number === block.number + 1;
    entries.set(hour, { hour, block, isLast });
  });
  return [...entries.values()];
}
