/** Alerts: what has reached a share of a project's monthly limit, each once a month and threshold. */
import type { RecordName } from '../calendar.ts';

/** A month's usage has reached a share of the limit. */
export interface ThresholdReached extends RecordName {
  /** In per cent of the limit. */
  readonly threshold: number;
  /** What was counted and what the limit was when it was noticed, in units. */
  readonly requests: number;
  readonly limit: number;
  /** Unix milliseconds. */
  readonly at: number;
}

/** A process's right to publish what it has claimed. */
export interface AlertClaim {
  /** Unix milliseconds. */
  readonly now: number;
  /** After this moment any process may claim the same. */
  readonly until: number;
}

/** What owners see and choose. */
export interface AlertSettings {
  /** In per cent of the limit, rising; those of every project that has not chosen any. */
  thresholdsOf(project: string): Promise<readonly number[]>;
  /** @throws {InvalidThresholds} */
  setThresholds(project: string, thresholds: readonly number[]): Promise<void>;
  /** What was reached in a month, lowest first. */
  reached(record: RecordName): Promise<ThresholdReached[]>;
}

/** Alerts in the ledger's store. All methods throw `StoreUnavailable` when it does not answer in time. */
export interface AlertStore extends AlertSettings {
  /** What the ledger has counted of each, in order: units, without the days. */
  counted(records: readonly RecordName[]): Promise<number[]>;
  /** Remembers it and that its event waits to be published, in one write. False where it was reached before. */
  reach(alert: ThresholdReached): Promise<boolean>;
  /** Some whose events wait and that no other process has claimed, oldest first. */
  claim(claim: AlertClaim, limit: number): Promise<ThresholdReached[]>;
  /** Their events are published: they wait no longer. */
  published(alerts: readonly ThresholdReached[]): Promise<void>;
}
