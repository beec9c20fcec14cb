/** Alerts: thresholds of the monthly limit that projects have reached, each once a month. */
import type { RecordName } from '../calendar.ts';

/** A month's usage has reached a share of the limit. */
export interface ThresholdReached extends RecordName {
  /** In per cent of the limit. */
  readonly threshold: number;
  /** Units counted and the limit, at the moment of notice. */
  readonly requests: number;
  readonly limit: number;
  /** Unix milliseconds. */
  readonly at: number;
}

/** A process's right to publish the alerts that it has claimed. */
export interface AlertClaim {
  /** Unix milliseconds. */
  readonly now: number;
  /** After this moment any process may claim the same. */
  readonly until: number;
}

/** Choices of owners, and the alerts that they see. */
export interface AlertSettings {
  /** In per cent of the limit, rising; by default those of every project without a choice. */
  thresholdsOf(project: string): Promise<readonly number[]>;
  /** @throws {InvalidThresholds} */
  setThresholds(project: string, thresholds: readonly number[]): Promise<void>;
  /** Thresholds reached in a month, lowest first. */
  reached(record: RecordName): Promise<ThresholdReached[]>;
}

/** Alerts in the ledger's store. All methods throw `StoreUnavailable` when it does not answer in time. */
export interface AlertStore extends AlertSettings {
  /** Units counted of each, in order, without the days. */
  counted(records: readonly RecordName[]): Promise<number[]>;
  /** Stores it and its unpublished event in one write. False if it was reached before. */
  reach(alert: ThresholdReached): Promise<boolean>;
  /** Some alerts whose events are unpublished and that no other process has claimed, oldest first. */
  claim(claim: AlertClaim, limit: number): Promise<ThresholdReached[]>;
  /** Marks their events as published. */
  published(alerts: readonly ThresholdReached[]): Promise<void>;
}
