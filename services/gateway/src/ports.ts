import type { Project } from '@hindsight/shared/projects/project.ts';
import type { Upstream } from '@hindsight/shared/http/upstream.ts';
import type { ServiceName } from './domain/route-table.ts';

/** Where a key's project is looked up. */
export interface ProjectLookup {
  /** The project of a well-formed key, whatever its status; null for an unknown one. */
  findByKey(key: string): Promise<Project | null>;
}

/** How each service is reached. */
export type Upstreams = Readonly<Record<ServiceName, Upstream>>;
