/**
 * The usage of a project in a month: how many requests may still be admitted, and how many were counted. One record
 * holds both, so that each change of it is one atomic step.
 *
 * A lane is one life of one gateway. It takes units from the record before it admits requests from them, and what it has
 * counted arrives later, in order, numbered. Once a lane is closed, all that it has counted is known, so what it took
 * and did not count can be given back: never more, never twice. A lane that will never be closed, because its disk is
 * lost, can be given up.
 *
 * All methods throw `StoreUnavailable` when the store does not answer in time.
 */
import type { RecordDeltas } from './fold.ts';

/** A lane's wish for units. */
export interface LeaseRequest {
  readonly project: string;
  /** `2026-11`. */
  readonly month: string;
  readonly lane: string;
  /** The project's limit as it is now. The record remembers the last one under which something was taken. */
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
  /**
   * Notes that a lane lives: it may spend what it holds for `LANE_LEASE_MS`. False when it was closed or given up:
   * nothing of it may be spent any more.
   */
  renewLane(lane: string): Promise<boolean>;
}

/** A lane's units that came back. */
export interface ClosedLane {
  readonly records: number;
  readonly units: number;
}

/** What became of giving up a lane. */
export type GivenUp =
  | ({ readonly outcome: 'given up' } & ClosedLane)
  /** It was renewed so long ago: it may live. */
  | { readonly outcome: 'alive'; readonly silentMs: number }
  | { readonly outcome: 'closed' }
  | { readonly outcome: 'unknown' };

/** A lane that has not ended, or is not wholly given up yet. */
export interface OpenLane {
  readonly lane: string;
  /** Since it was renewed last. */
  readonly silentMs: number;
  /** Records in which it holds units. */
  readonly records: number;
  /** Taken and not counted. */
  readonly units: number;
}

/** How lanes end. */
export interface LaneRegistry {
  /** Gives back what a lane took and did not count: all that it has counted must have been applied. Idempotent. */
  closeLane(lane: string): Promise<ClosedLane>;
  /**
   * Gives a lane's units back although not all that it has counted is known: what comes of it later takes what the month
   * has left then. Only for a lane that has been silent for so long, and whose disk is lost. Idempotent.
   */
  giveUpLane(lane: string, silentMs: number): Promise<GivenUp>;
  /** The longest silent first. */
  openLanes(limit: number): Promise<OpenLane[]>;
}

/** A part of some events that is not counted, and never will be. */
export interface Refusal {
  readonly lane: string;
  readonly project: string;
  readonly month: string;
  /** What is above this number of the lane was not counted. */
  readonly after: number;
  readonly reason: string;
}

/** Counting. */
export interface UsageCounters {
  /**
   * Applies what has not been applied yet of each lane; the numbers of a lane's deltas rise. Of a lane that was given up
   * it takes the units as it counts, in the same step, so that the limit holds; what finds none is refused, with all of
   * the lane that comes behind it in the same call.
   */
  apply(records: readonly RecordDeltas[]): Promise<readonly Refusal[]>;
}

/** A record, and what it comes to when its parts are added up. */
export interface RecordAudit {
  readonly project: string;
  readonly requests: number;
  readonly orders: number;
  readonly taken: number;
  /** Sum of the daily series. */
  readonly daily: number;
  /** Sums of the lanes; undefined when the month is settled. */
  readonly lanes: LaneSums | undefined;
}

/** What a record's lanes come to. */
export interface LaneSums {
  readonly held: number;
  readonly counted: number;
  readonly orders: number;
  /** Counted by gateways beyond what they held. */
  readonly overdrawn: number;
}

/** What keeps the records right and small. */
export interface UsageUpkeep {
  /** A page of a month's records, in order of their projects. */
  audit(month: string, after: string, limit: number): Promise<RecordAudit[]>;
  /**
   * Ends the months before this one, some records at a time: what was held and not counted is free, lanes are
   * forgotten, and nothing is counted any more. @returns how many records
   */
  settle(before: string, limit: number): Promise<number>;
  /** Takes lanes that have ended out of the records, and forgets them in the end. */
  tidyLanes(ages: LaneAges): Promise<TidiedLanes>;
}

/** Which lanes need no place any more. */
export interface LaneAges {
  /** Months in which something may still be counted. */
  readonly months: readonly string[];
  /** Lanes that were closed so long ago need no place in the records. */
  readonly closedMs: number;
  /** Nothing of lanes that ended so long ago can still come. */
  readonly endedMs: number;
}

/** How many lanes were taken out of the records, and how many are forgotten. */
export interface TidiedLanes {
  readonly pruned: number;
  readonly forgotten: number;
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
export type UsageStore = QuotaLedger & LaneRegistry & UsageCounters & UsageUpkeep & UsageReader;
