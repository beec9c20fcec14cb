import type { FoundByKey } from '@hindsight/projects/ports.ts';
import type { Project } from '@hindsight/projects/project.ts';
import { defaultKey } from '@hindsight/projects/project-key.ts';

/** A project on the free plan. */
export const freeProject = (id: string, more: Partial<Project> = {}): Project => ({
  id,
  name: id,
  ownerId: null,
  plan: 'free',
  monthlyLimit: null,
  rate: null,
  demo: false,
  status: 'active',
  createdAt: 0,
  ...more,
});

/** The same, found by its first key. */
export const freeProjectByKey = (id: string, more: Partial<FoundByKey> = {}): FoundByKey => ({
  ...freeProject(id),
  keyExpiresAt: null,
  key: defaultKey(0),
  ...more,
});
