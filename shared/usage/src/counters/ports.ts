/**
 * The month's counters, to look at: exact in the ledger, and copied to where reading is cheap. Nothing that must be exact
 * is decided by a copy.
 */
import type { RecordName } from '../calendar.ts';
import type { RecordAudit, MonthUsage } from '../ports.ts';

/** A month as the ledger had counted it at a moment. */
export interface CountedMonth extends MonthUsage {
  /** Everything published before this moment is in it, Unix milliseconds. */
  readonly asOf: number;
  /** Where it was read. */
  readonly from: 'ledger' | 'copy';
}

/** Reading: usage for people, dashboards and alerts. */
export interface MonthCounters {
  /** Zeros where nothing was counted. @throws {StoreUnavailable} */
  read(project: string, month: string): Promise<CountedMonth>;
  /** Units that are taken, where that is known without a question to the ledger. Never throws. */
  takenAtHand(project: string, month: string): Promise<number | undefined>;
}

/** Publishing: the other half, in the process that counts. */
export interface CounterPublisher {
  /**
   * Copies what the ledger has now of these records, or makes sure that it will be: when this resolves, it is certain.
   * @throws {StoreUnavailable} when the ledger does not answer
   */
  publish(records: readonly RecordName[]): Promise<void>;
}

/** A record's counters with the ledger's revision of them, which rises with each change of what is counted. */
export interface RevisedMonth extends RecordName, MonthUsage {
  readonly revision: number;
  /** When the ledger was read for it, Unix milliseconds. */
  readonly asOf: number;
}

/** A record that is noted as unpublished, so often. */
export interface NotedRecord extends RecordName {
  readonly times: number;
}

/** What the ledger offers to copies. All methods throw `StoreUnavailable`. */
export interface CountedRecords {
  /** In the order of their names; zeros, at revision 0, where nothing was counted. */
  readMany(records: readonly RecordName[]): Promise<RevisedMonth[]>;
  /** Remembers, for every process, that copies may lack the counters of these. */
  note(records: readonly RecordName[]): Promise<void>;
  /** Some that are noted. */
  noted(limit: number): Promise<NotedRecord[]>;
  /** Forgets them, but not those that were noted again meanwhile. */
  forget(noted: readonly NotedRecord[]): Promise<void>;
}

/** A process's view of the times of trust: what was copied in another one is not believed. */
export interface Epoch {
  readonly number: number;
  /** The server that it is of, as it names itself. */
  readonly server: string;
}

/** What was found in a copy. */
export interface FoundCopy {
  /** The time of trust that holds; undefined while no process vouches for the copy, or it does not answer. */
  readonly epoch: number | undefined;
  /** Everything published before this moment is in the copy; undefined where that is not known. */
  readonly countedTo: number | undefined;
  /** Undefined where there is none that may be believed. */
  readonly month: RevisedMonth | undefined;
}

/** A place that counters are copied to. Methods throw its own errors; `find` does not throw. */
export interface CounterCopy {
  find(record: RecordName): Promise<FoundCopy>;
  findMany(records: readonly RecordName[]): Promise<(RevisedMonth | undefined)[]>;
  /** Stores them; where a higher revision is stored, that stays. */
  put(months: readonly RevisedMonth[], epoch: number): Promise<void>;
  /** Removes a record's counters if they still have this revision. */
  remove(record: RecordName, revision: number): Promise<void>;
  /**
   * Vouches for the copy for some seconds from now, however late the server comes to it. A new epoch begins with a
   * process's first call, and when the server is not the one that this process knew: what was written to another one may
   * be lost.
   * @param countedTo everything published before this moment is in the copy, as far as that is known
   */
  vouch(known: Epoch | undefined, countedTo?: number): Promise<Epoch>;
}

/** What a comparison needs of the ledger. */
export interface AuditPages {
  audit(month: string, after: string, limit: number): Promise<readonly Pick<RecordAudit, 'project'>[]>;
}
