/**
 * The month's counters for display: exact in the ledger, and copied to a place where reading is cheap. No
 * exact decision uses a copy.
 */
import type { RecordName } from '../calendar.ts';
import type { MonthUsage } from '../ports.ts';

/** A month as the ledger had counted it at a moment. */
export interface CountedMonth extends MonthUsage {
  /** Everything published before this moment is in it, Unix milliseconds. */
  readonly asOf: number;
  readonly from: 'ledger' | 'copy';
}

/** Reading: usage for people, dashboards and alerts. */
export interface MonthCounters {
  /** Zeros where nothing was counted. @throws {StoreUnavailable} */
  read(project: string, month: string): Promise<CountedMonth>;
  /** Units that are taken, if that is known without a query of the ledger. Never throws. */
  takenAtHand(project: string, month: string): Promise<number | undefined>;
}

/** Publishing, in the process that counts. */
export interface CounterPublisher {
  /**
   * Copies the ledger's counters of these records, or makes sure that they will be copied, and resolves when
   * that is certain.
   * @throws {StoreUnavailable} when the ledger does not answer
   */
  publish(records: readonly RecordName[]): Promise<void>;
}

/** A record's counters with the ledger's revision of them, which rises with each change of what is counted. */
export interface RevisedMonth extends RecordName, MonthUsage {
  readonly revision: number;
  /** Time of its reading from the ledger, Unix milliseconds. */
  readonly asOf: number;
}

export interface NotedRecord extends RecordName {
  readonly times: number;
}

/** The ledger's counters, for copies. All methods throw `StoreUnavailable`. */
export interface CountedRecords {
  /** In the order of their names; zeros, at revision 0, where nothing was counted. */
  readMany(records: readonly RecordName[]): Promise<RevisedMonth[]>;
  /** Remembers, for every process, that copies may lack the counters of these. */
  note(records: readonly RecordName[]): Promise<void>;
  noted(limit: number): Promise<NotedRecord[]>;
  /** Removes the marks, except of records that were marked again since. */
  forget(noted: readonly NotedRecord[]): Promise<void>;
}

/** The epoch in which a process trusts the copy: counters copied in another one are not believed. */
export interface Epoch {
  readonly number: number;
  /** The server that it is of, as it names itself. */
  readonly server: string;
}

export interface FoundCopy {
  /** The current epoch; undefined while no process vouches for the copy, or it does not answer. */
  readonly epoch: number | undefined;
  /** Everything published before this moment is in the copy; undefined if that is not known. */
  readonly countedTo: number | undefined;
  /** Undefined if the copy has none, or none that is valid. */
  readonly month: RevisedMonth | undefined;
}

/** A place that counters are copied to. Methods throw the adapter's errors; `find` does not throw. */
export interface CounterCopy {
  find(record: RecordName): Promise<FoundCopy>;
  findMany(records: readonly RecordName[]): Promise<(RevisedMonth | undefined)[]>;
  /** Stores them; where a higher revision is stored, that stays. */
  put(months: readonly RevisedMonth[], epoch: number): Promise<void>;
  /** Removes a record's counters if they still have this revision. */
  remove(record: RecordName, revision: number): Promise<void>;
  /**
   * Vouches for the copy for some seconds from now, however late the server receives it. A new epoch begins
   * with a process's first call, and when the server is not the one that this process knew: writes to another
   * one may be lost.
   * @param countedTo everything published before this moment is in the copy, as far as that is known
   */
  vouch(known: Epoch | undefined, countedTo?: number): Promise<Epoch>;
}
