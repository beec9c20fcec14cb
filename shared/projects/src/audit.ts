/**
 * The audit log of a project for its owner: views of its key and changes, with actor and time. Entries are
 * added and never changed; the oldest are deleted after `AUDIT_KEEP_MS`. No entry holds a key, or any text
 * that a user has typed.
 */
import { readPages } from '@hindsight/kernel/pages.ts';
import type { NotedChange } from './record.ts';

/** Who does something, and from where. */
export interface Actor {
  /** The portal's user; null for an operator with access to the store. */
  readonly userId: string | null;
  /** The client's IP address, where there is one. */
  readonly address: string | null;
}

export const OPERATOR: Actor = { userId: null, address: null };

export type AuditAction = NotedChange | 'key-shown';

const ACTIONS: Readonly<Record<AuditAction, true>> = {
  created: true,
  renamed: true,
  'key-shown': true,
  'key-created': true,
  'key-changed': true,
  'key-rotated': true,
  'key-revoked': true,
  'plan-changed': true,
  'alerts-changed': true,
  suspended: true,
  resumed: true,
  deleted: true,
};

export const AUDIT_ACTIONS = Object.keys(ACTIONS);

/**
 * One line of the log. It is written before the action, which may then fail; no action lacks its line. (A
 * creation is logged after the project is stored, before its key is returned.)
 */
export interface AuditEntry extends Actor {
  readonly id: string;
  readonly projectId: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly action: AuditAction;
  /** Details such as the plans of a change, or null. */
  readonly detail: string | null;
}

/** The position of an entry: by time, then by id. */
export type AuditPosition = Pick<AuditEntry, 'at' | 'id'>;

/** Conditions on entries; all that are given must hold. */
export interface AuditFilter {
  readonly action?: string | undefined;
  /** Null for the operator. */
  readonly userId?: string | null | undefined;
  /** Unix milliseconds: first moment included, second excluded. */
  readonly from?: number | undefined;
  readonly before?: number | undefined;
}

export interface AuditLog {
  /** Up to `limit` entries of a project, newest first, older than a given one. */
  list(projectId: string, limit: number, below?: AuditPosition, filter?: AuditFilter): Promise<AuditEntry[]>;
}

/** Unix milliseconds of the last change of a project's plan; null if the log has none since then. */
export async function planChangedAt(
  audit: AuditLog,
  projectId: string,
  since?: number,
): Promise<number | null> {
  const [last] = await audit.list(projectId, 1, undefined, { action: 'plan-changed', from: since });
  return last?.at ?? null;
}

const ENTRIES_AT_ONCE = 500;

/** All entries, newest first, read page by page. */
export function allEntries(audit: AuditLog, projectId: string, filter: AuditFilter) {
  return readPages<AuditEntry>(ENTRIES_AT_ONCE, (below) =>
    audit.list(projectId, ENTRIES_AT_ONCE, below, filter),
  );
}

/** A store of entries. All methods throw `StoreUnavailable` when it does not answer in time. */
export interface AuditStore extends AuditLog {
  /** Resolves when the entry is durable. */
  append(entry: AuditEntry): Promise<void>;
  /**
   * Removes up to `limit` entries older than a moment; the next call continues. @returns the number removed
   */
  removeBefore(at: number, limit: number): Promise<number>;
}

/** 400 days: a year, and some time to review it. */
export const AUDIT_KEEP_MS = 400 * 24 * 3_600_000;
