/** The port of an adapter: a durable log of records. `create-bus.ts` makes a bus of it. */
import type { BatchContext, PartitionProgress, Position, ReadDeadLetters, SubscribeOptions } from './port.ts';

export interface OutgoingRecord {
  readonly topic: string;
  /** Chooses the partition. */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer | null;
}

export interface StoredRecord extends OutgoingRecord, Position {}

/** The link of one batch of one partition to its log. Its signal is aborted when the member leaves or has lost the partition. */
export interface BatchLink extends BatchContext {
  /**
   * Commits up to and including this offset. Rejects when the partition is lost or the log is unavailable.
   */
  commit(offset: string): Promise<void>;
}

/** Handles a batch; records that it has not committed when it ends, or rejects, are delivered again. */
export type BatchHandler = (records: readonly StoredRecord[], link: BatchLink) => Promise<void>;

export interface Membership {
  /** Resolves when it has joined for the first time, or has left. */
  readonly joined: Promise<void>;
  /** Leaves; waits for a running batch no longer than `LEAVE_WITHIN_MS`. Idempotent. */
  leave(): Promise<void>;
}

/** Options of a member that joins. The most events that it handles at once is also the most worth reading at once. */
export type Joining = Required<SubscribeOptions>;

/** A topic to be read to its end. */
export interface Scan extends ReadDeadLetters {
  readonly topic: string;
}

/** Takes records in order and returns the number taken; fewer than given end the scan. */
export type TakeRecords = (records: readonly StoredRecord[]) => Promise<number>;

export interface EventLog {
  /**
   * Writes records in their order; called again only after it has settled.
   * @throws {PublishFailed}
   */
  append(records: readonly OutgoingRecord[]): Promise<void>;
  /** Joins a group, retrying until it leaves. One batch of a partition at a time. */
  join(joining: Joining, onBatch: BatchHandler): Membership;
  /** Reads a topic up to its end at the time of the call, apart from subscriptions. Rejects as `take` does. */
  scan(scan: Scan, take: TakeRecords): Promise<void>;
  /**
   * A group's committed offset in each partition of a topic. Rejects within seconds when the log does not
   * answer.
   */
  progress(group: string, topic: string): Promise<readonly PartitionProgress[]>;
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Longest that a leaving member waits for its running handler, in milliseconds. */
export const LEAVE_WITHIN_MS = 5_000;
