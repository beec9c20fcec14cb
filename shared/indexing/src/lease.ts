import type { IndexStatus } from './progress.ts';

/** The indexing instance, the end of its lease (Unix milliseconds), and its last report. */
export interface IndexLease {
  readonly holder: string;
  readonly until: number;
  readonly status: IndexStatus;
}

/** One instance at a time indexes; the others stand by. */
export interface LeasedIndex {
  /** Takes or renews the lease; false while another instance holds it at the time `now` (Unix milliseconds). */
  claim(lease: IndexLease, now: number): Promise<boolean>;
  release(holder: string): Promise<void>;
}
