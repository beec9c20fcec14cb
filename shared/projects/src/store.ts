/** The port of a project store; implemented by the adapters, used by `repository.ts` and `outbox-relay.ts` only. */
import type { ChangeKind, ProjectRecord } from './record.ts';

/** An event that waits to be published; written in one step with the change that it reports. */
export interface OutboxEntry {
  /** The event's id: the same however often it is published. */
  readonly id: string;
  readonly projectId: string;
  readonly change: ChangeKind;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The position of a project in the list: by time of creation, then by id. */
export interface ListPosition {
  readonly createdAt: number;
  readonly id: string;
}

export interface KeyUse {
  readonly projectId: string;
  /** Or `oldSecretId` of a key. */
  readonly keyId: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Projects as records. Every method throws `StoreUnavailable` when the store does not answer in time. */
export interface ProjectStore {
  /** Adds a record with its outbox entry, or returns the unique value that is taken. */
  insert(record: ProjectRecord, entry: OutboxEntry): Promise<'inserted' | 'project-taken' | 'key-taken'>;
  read(id: string): Promise<ProjectRecord | null>;
  /** The record that has a key of any of these indexes, expired or not. */
  readByKey(indexes: readonly string[]): Promise<ProjectRecord | null>;
  readDemo(): Promise<ProjectRecord | null>;
  /** In the order of `ListPosition`, beginning after one. */
  list(limit: number, after?: ListPosition): Promise<ProjectRecord[]>;
  listOwned(ownerId: string, limit: number, after?: ListPosition): Promise<ProjectRecord[]>;
  /**
   * Writes a record over version `record.version` of itself, and raises the version; with an outbox entry unless the
   * change concerns no other service.
   */
  replace(record: ProjectRecord, entry: OutboxEntry | null): Promise<'replaced' | 'conflict' | 'key-taken'>;
  /** Removes rotated keys whose grace period has ended. Resolves to the number of projects that had any. */
  removeExpiredKeys(now: number): Promise<number>;
  /** Notes the last use of keys; keeps the latest. The record's version stays. */
  noteKeyUses(uses: readonly KeyUse[]): Promise<void>;
  keyUses(projectId: string, keyIds: readonly string[]): Promise<readonly KeyUse[]>;
}

/** An exclusive right to publish, for a while. */
export interface Claim {
  /** Who claims; unique among relays. */
  readonly by: string;
  readonly now: number;
  /** After this moment anyone may claim the same. */
  readonly until: number;
}

export interface Outbox {
  /** The waiting entries of up to `projects` projects that no one else has claimed; in order for each project. */
  claim(claim: Claim, projects: number): Promise<OutboxEntry[]>;
  /** Removes published entries, and releases the claim. Does nothing if the claim was lost. */
  markSent(by: string, sent: readonly OutboxEntry[]): Promise<void>;
  release(by: string, claimed: readonly OutboxEntry[]): Promise<void>;
}
