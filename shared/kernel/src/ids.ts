import { randomUUID } from 'node:crypto';

/** Identifiers as an input, so that a test can predict them. */
export interface Ids {
  /** A new identifier, unique across processes. */
  next(): string;
}

/** Random (version 4) UUIDs. */
export const randomIds: Ids = { next: () => randomUUID() };
