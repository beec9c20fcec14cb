/** Keys in the gateway's view. */
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import type { KeyUse } from '@hindsight/projects/store.ts';

/** Lookup of a key's project. */
export interface ProjectLookup {
  /** The project of a well-formed key, whatever its status; null for an unknown one. */
  findByKey(key: string): Promise<FoundByKey | null>;
}

/** Store of the last uses of keys. */
export interface KeyUseStore {
  /** Earlier times than those noted change nothing. */
  noteKeyUses(uses: readonly KeyUse[]): Promise<void>;
}

/** A lookup that remembers. */
export interface RememberedProjects extends ProjectLookup {
  /**
   * True if the key was found before and is not known to be revoked: it is no guess. Never queries the store.
   */
  remembers(key: string): boolean;
}

/** A listener for changes of projects. */
export interface KeyCache {
  /** From now on it is notified of every change. */
  subscribed(): void;
  /** Drops everything cached of a project except the fact that its keys are keys. */
  drop(projectId: string): void;
  /** Forgets which keys were unknown. */
  dropUnknown(): void;
}
