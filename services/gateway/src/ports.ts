import type { FoundByKey } from '@hindsight/projects/ports.ts';
import type { KeyUse } from '@hindsight/projects/store.ts';
import type { Upstream } from './upstreams/upstream.ts';
import type { ServiceName } from './domain/route-table.ts';

/** Where a key's project is looked up. */
export interface ProjectLookup {
  /** The project of a well-formed key, whatever its status; null for an unknown one. */
  findByKey(key: string): Promise<FoundByKey | null>;
}

/** Where the last uses of keys are noted. */
export interface KeyUseStore {
  /** Earlier times than those noted change nothing. */
  noteKeyUses(uses: readonly KeyUse[]): Promise<void>;
}

/** A lookup that remembers. */
export interface RememberedProjects extends ProjectLookup {
  /** True if the key was found before and is not known to be revoked: it is no guess. Never queries the store. */
  remembers(key: string): boolean;
}

/** A listener for changes of projects. */
export interface KeyCache {
  /** From now on it is notified of every change. */
  hear(): void;
  /** Drops everything cached of a project but the fact that its keys are keys. */
  drop(projectId: string): void;
  /** Forgets which keys were unknown. */
  dropUnknown(): void;
}

/** How each service is reached. */
export type Upstreams = Readonly<Record<ServiceName, Upstream>>;

/** A counted request. */
export interface UsageRecord {
  readonly projectId: string;
  /** The UTC day of its admission. */
  readonly day: string;
  /** The route's name. */
  readonly endpoint: string;
  /** What it was answered with, by `statusOf`. Absent in records of earlier versions. */
  readonly status?: number;
  /** The id of its key. */
  readonly key?: string;
  /** Units of the key's own cap were spent, too. */
  readonly capped?: true;
}

/** Where counted requests are safe before they are answered. */
export interface UsageSpool {
  /** False while nothing more can be taken: the disk is full, or too much is waiting to be sent. */
  readonly accepting: boolean;
  /**
   * Resolves when the record is on disk.
   * @param units what the request cost
   * @param requests 0 where this is a further portion of a request that was recorded before
   * @throws {SpoolFull}
   */
  record(record: UsageRecord, units?: number, requests?: 0 | 1): Promise<void>;
}

/** Requests that count the same, and what they cost. */
export interface UsageEntry extends UsageRecord {
  readonly requests: number;
  /** Absent where it is one each. */
  readonly units?: number;
}

/** A counted request could not be made safe. */
export class SpoolFull extends Error {
  override readonly name = 'SpoolFull';
}

/** Some counted requests, numbered: what one event says. */
export interface UsageFrame {
  /** Rises within the producer. */
  readonly sequence: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly entries: readonly UsageEntry[];
}

/** What a producer has on disk, in order; one reader at a time. */
export interface ProducerFrames {
  readonly producer: string;
  /** The next frames that have not been dropped; empty when there are none yet. */
  next(most: number): Promise<readonly UsageFrame[]>;
  /** Forgets the frames that `next` gave last. */
  drop(): Promise<void>;
  /** Removes its files: everything in them has been sent. */
  remove(): Promise<void>;
  /** Leaves the producer to the next process. */
  release(): void;
}
