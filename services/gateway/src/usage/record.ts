export interface UsageRecord {
  readonly projectId: string;
  /** The UTC day of its admission. */
  readonly day: string;
  readonly endpoint: string;
  /** The answer's status, by `statusOf`. Absent in records of earlier versions. */
  readonly status?: number;
  readonly key?: string;
  /** Units of the key's own cap were spent, too. */
  readonly capped?: true;
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
