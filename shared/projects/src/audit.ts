/**
 * Who looked at a project's key or changed the project, and when: for its owner to see. Entries are added and never
 * changed; the oldest are forgotten after `AUDIT_KEEP_MS`. No entry holds a key, or any text that somebody typed.
 */
import type { NotedChange } from './record.ts';

/** Who does something, and from where. */
export interface Actor {
  /** The portal's user; null for an operator, who has the store itself. */
  readonly userId: string | null;
  /** The client's IP address, where there is one. */
  readonly address: string | null;
}

/** Whoever runs the installation. */
export const OPERATOR: Actor = { userId: null, address: null };

/** What is written down. */
export type AuditAction = NotedChange | 'key-shown';

/**
 * One line of the log. It was written before what it tells of was done, so it may tell of something that then failed;
 * nothing is done that no line tells of. (A creation is written down after the project, before its key is given out.)
 */
export interface AuditEntry extends Actor {
  readonly id: string;
  readonly projectId: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly action: AuditAction;
  /** What more there is to know, such as the plans of a change; null when nothing. */
  readonly detail: string | null;
}

/** The place of an entry: by time, then by id. */
export type AuditPosition = Pick<AuditEntry, 'at' | 'id'>;

/** Reading. */
export interface AuditLog {
  /** Up to `limit` entries of a project, the newest first, going on below one. */
  list(projectId: string, limit: number, below?: AuditPosition): Promise<AuditEntry[]>;
}

/** A store of entries. All methods throw `StoreUnavailable` when it does not answer in time. */
export interface AuditStore extends AuditLog {
  /** Resolves when the entry is durable. */
  append(entry: AuditEntry): Promise<void>;
  /** Forgets up to `limit` entries from before a moment; the rest another time. @returns how many */
  removeBefore(at: number, limit: number): Promise<number>;
}

/** 400 days: a year, and some time to look at it. */
export const AUDIT_KEEP_MS = 400 * 24 * 3_600_000;
