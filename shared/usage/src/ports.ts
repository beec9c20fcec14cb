/**
 * The usage of a project in a month: units left to spend, and units counted. One record holds both, so that
 * each change of it is one atomic step. A request costs one unit or more; `requests` here, in stored records
 * and in `GET /v1/usage` counts units, a name from before requests had weights.
 *
 * A producer is one instance of a gateway, from its start to its end. It leases units from the record before
 * it admits requests with them; its counts arrive later, in order, numbered. Once a producer is closed, all
 * its counts are known, so its leased and uncounted units are free again: never more, never twice. A producer
 * that is never closed, because its disk is lost, keeps its units until the month is settled.
 *
 * All methods throw `StoreUnavailable` when the store does not answer in time.
 */
import type { RecordDeltas } from './fold.ts';

export interface LeaseRequest {
  readonly project: string;
  /** `2026-11`. */
  readonly month: string;
  readonly producer: string;
  /** The project's current limit. */
  readonly limit: number;
  /**
   * The most that each waiting request may cost, in order. The batch covers all that still fit, even if a
   * share would be smaller.
   */
  readonly waiting: readonly number[];
  /** Units that the producer has, too few for any of them. */
  readonly atHand: number;
  /** The most units that it can use soon: a batch is larger only for waiting requests. By default a share. */
  readonly most?: number;
  /**
   * Units taken already, as far as known elsewhere. It only sizes the batch: the ledger checks the limit
   * itself.
   */
  readonly taken?: number | undefined;
}

export interface Lease {
  /** Units to spend; 0 when the month is used up, or has too few for the waiting requests. */
  readonly units: number;
  /** Units that the producer had leased in this month and not released, before this lease. */
  readonly outstanding: number;
  /** The fencing token: the version of the producer's part of the record. A release must name it. */
  readonly revision: number;
  /** Units that are not leased to any producer. */
  readonly unclaimed: number;
}

/** Units that a producer no longer needs. */
export interface LeaseRelease {
  readonly project: string;
  readonly month: string;
  readonly producer: string;
  readonly units: number;
  /** The fencing token of the producer's last lease. A release with an older one does nothing. */
  readonly revision: number;
}

export interface QuotaLedger {
  /** Leases a share of what is left; all leases together never exceed the limit. */
  take(request: LeaseRequest): Promise<Lease>;
  /**
   * Resolves to the releases that took place, with the producer's new revisions; the others changed nothing.
   */
  release(releases: readonly LeaseRelease[]): Promise<readonly LeaseRelease[]>;
}

/** A producer's units that are free again. */
export interface ClosedProducer {
  readonly records: number;
  readonly units: number;
}

export interface ProducerRegistry {
  /** Frees a producer's leased and uncounted units: all its counts must have been applied. Idempotent. */
  closeProducer(producer: string): Promise<ClosedProducer>;
}

/** A producer's part of some events that is not counted, and never will be. */
export interface Refusal {
  readonly producer: string;
  readonly project: string;
  readonly month: string;
  readonly reason: string;
}

export interface UsageCounters {
  /** Applies what has not been applied yet of each producer; the numbers of a producer's deltas rise. */
  apply(records: readonly RecordDeltas[]): Promise<readonly Refusal[]>;
}

export interface RecordAudit {
  readonly project: string;
  readonly requests: number;
  readonly orders: number;
  readonly taken: number;
  /** Sum of the daily series. */
  readonly daily: number;
  /** Sums of the producers; undefined when the month is settled. */
  readonly producers: ProducerSums | undefined;
}

export interface ProducerSums {
  /** Leased and not released, counted or not. */
  readonly outstanding: number;
  readonly counted: number;
  readonly orders: number;
  /** Counted beyond what was leased. */
  readonly overdrawn: number;
}

/** Keeps the records right and small. */
export interface UsageUpkeep {
  /** A page of a month's records, in order of their projects. */
  audit(month: string, after: string, limit: number): Promise<RecordAudit[]>;
  /**
   * Ends the months before this one, some records at a time: leased and uncounted units are free, producers
   * are forgotten, and counting ends. @returns the number of records
   */
  settle(before: string, limit: number): Promise<number>;
  /**
   * Leases to producers the units that they have counted beyond their leases. Those exist only after the
   * store was restored from a backup and events of later leases were counted again: the limit must include
   * them. @returns the number of units
   */
  coverOverdrawn(month: string): Promise<number>;
  /** Takes closed producers out of the records, and forgets them in the end. @returns the numbers of both */
  tidyProducers(ages: ProducerAges): Promise<{ readonly pruned: number; readonly forgotten: number }>;
}

/** Ages beyond which producers are no longer needed. */
export interface ProducerAges {
  /** Months in which something may still be counted. */
  readonly months: readonly string[];
  /** Producers that were closed this long ago need no part of the records. */
  readonly closedMs: number;
  /** Nothing of producers that were closed this long ago can still arrive. */
  readonly endedMs: number;
}

/** Requests by day, and by endpoint, status or key. */
export type DailyCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface MonthUsage {
  readonly requests: number;
  readonly orders: number;
  /** Requests by day and endpoint. */
  readonly days: DailyCounts;
  /** Requests by day and HTTP status, without those counted by earlier versions. */
  readonly statuses?: DailyCounts;
  /** Requests by day and the id of their key, without those counted by earlier versions. */
  readonly keys?: DailyCounts;
  /** Units that gateways have leased, spent or not. */
  readonly taken: number;
}

export interface UsageReader {
  /** Zeros where nothing was counted. */
  read(project: string, month: string): Promise<MonthUsage>;
}

export type UsageStore = QuotaLedger & ProducerRegistry & UsageCounters & UsageUpkeep & UsageReader;
