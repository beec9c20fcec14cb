/** Counted requests, and where they are safe. */

/** A counted request. */
export interface UsageRecord {
  readonly projectId: string;
  /** The UTC day of its admission. */
  readonly day: string;
  /** The route's name. */
  readonly endpoint: string;
  /** The answer's status, by `statusOf`. Absent in records of earlier versions. */
  readonly status?: number;
  /** The id of its key. */
  readonly key?: string;
  /** Units of the key's own cap were spent, too. */
  readonly capped?: true;
}

/** Keeps counted requests safe before they are answered. */
export interface UsageSpool {
  /** False while it can take nothing more: the disk is full, or too much is waiting to be sent. */
  readonly accepting: boolean;
  /**
   * Resolves when the record is on disk.
   * @param units cost of the request
   * @param requests 0 for a further portion of a request that was recorded before
   * @throws {SpoolFull}
   */
  record(record: UsageRecord, units?: number, requests?: 0 | 1): Promise<void>;
}

/** Requests that count the same, and their cost. */
export interface UsageEntry extends UsageRecord {
  readonly requests: number;
  /** Absent where it is one each. */
  readonly units?: number;
}

/** A counted request could not be made safe. */
export class SpoolFull extends Error {
  override readonly name = 'SpoolFull';
}

/** Some counted requests, numbered: the contents of one event. */
export interface UsageFrame {
  /** Rises within the producer. */
  readonly sequence: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly entries: readonly UsageEntry[];
}

/** A producer's frames on disk, in order; one reader at a time. */
export interface ProducerFrames {
  readonly producer: string;
  /** The next frames that have not been dropped; empty when there are none yet. */
  next(most: number): Promise<readonly UsageFrame[]>;
  /** Forgets the frames that `next` gave last. */
  drop(): Promise<void>;
  /** Removes its files: everything in them has been sent. */
  remove(): Promise<void>;
  /** Leaves the producer to the next process. */
  release(): void;
}
