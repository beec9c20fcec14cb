/**
 * The usage of a project in a month: how many requests may still be admitted, and how many were counted. One record
 * holds both, so that each change of it is one atomic step.
 *
 * A lane is one life of one gateway. It takes units from the record before it admits requests from them, and what it has
 * counted arrives later, in order, numbered. Once a lane is closed, all that it has counted is known, so what it took
 * and did not count can be given back: never more, never twice.
 *
 * All methods throw `StoreUnavailable` when the store does not answer in time.
 */
import type { MonthDeltas } from './fold.ts';

/** A lane's wish for units. */
export interface LeaseRequest {
  readonly project: string;
  /** `2026-11`. */
  readonly month: string;
  readonly lane: string;
  /** The project's limit as it is now; the record knows none. */
  readonly limit: number;
  /** How many requests are waiting: so many are taken if they are there, even where a share would be less. */
  readonly atLeast: number;
}

/** What was taken. */
export interface Lease {
  /** Units to spend; 0 when the month is used up. */
  readonly units: number;
  /** All that the lane had taken in this month and not given back, before this. */
  readonly heldBefore: number;
  /** The version of the lane's part of the record; a return must name it. */
  readonly revision: number;
  /** What nobody has taken yet. */
  readonly unclaimed: number;
}

/** Units that a lane does not want any longer. */
export interface LeaseReturn {
  readonly project: string;
  readonly month: string;
  readonly lane: string;
  readonly units: number;
  /** That of the lane's last lease. A return that is late and was overtaken by another change does nothing. */
  readonly revision: number;
}

/** Units by lease. */
export interface QuotaLedger {
  /** Takes a share of what is left; all of what is taken together never exceeds the limit. */
  take(request: LeaseRequest): Promise<Lease>;
  /** Resolves to the returns that took place, with the lane's new revisions; the others changed nothing. */
  giveBack(returns: readonly LeaseReturn[]): Promise<readonly LeaseReturn[]>;
}

/** A lane's units that came back. */
export interface ClosedLane {
  readonly records: number;
  readonly units: number;
}

/** A lane that holds units, and when it last took or counted some. */
export interface OpenLane {
  readonly lane: string;
  readonly records: number;
  /** Taken and not counted. */
  readonly units: number;
}

/** Counting. */
export interface UsageCounters {
  /** Applies what has not been applied yet of each lane; the numbers of a lane's deltas rise. */
  apply(deltas: readonly MonthDeltas[]): Promise<void>;
  /** Gives back what a lane took and did not count: all that it has counted must have been applied. Idempotent. */
  closeLane(lane: string): Promise<ClosedLane>;
  /** Lanes that hold units in a month, for people to look at. */
  openLanes(month: string, limit: number): Promise<OpenLane[]>;
}

/** A month as it was counted. */
export interface MonthUsage {
  readonly requests: number;
  readonly orders: number;
  /** Requests by day and endpoint. */
  readonly days: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Units that gateways have taken, spent or not. */
  readonly taken: number;
}

/** Reading. */
export interface UsageReader {
  /** Zeros where nothing was counted. */
  read(project: string, month: string): Promise<MonthUsage>;
}

/** All of it. */
export type UsageStore = QuotaLedger & UsageCounters & UsageReader;
