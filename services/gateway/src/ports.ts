import type { FoundByKey } from '@hindsight/shared/projects/ports.ts';
import type { Upstream } from '@hindsight/shared/http/upstream.ts';
import type { ServiceName } from './domain/route-table.ts';

/** Where a key's project is looked up. */
export interface ProjectLookup {
  /** The project of a well-formed key, whatever its status; null for an unknown one. */
  findByKey(key: string): Promise<FoundByKey | null>;
}

/** What must hear of changes. */
export interface KeyCache {
  /** From now on every change is heard of. */
  hear(): void;
  /** Forgets all keys of a project. */
  drop(projectId: string): void;
  /** Forgets which keys were unknown. */
  dropUnknown(): void;
}

/** How each service is reached. */
export type Upstreams = Readonly<Record<ServiceName, Upstream>>;
