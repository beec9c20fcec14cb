import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { defaultKey } from '@hindsight/projects/project-key.ts';

/** A project on the free plan, found by its first key. */
export const freeProject = (id: string, more: Partial<FoundByKey> = {}): FoundByKey => ({
  id,
  name: id,
  ownerId: null,
  plan: 'free',
  monthlyLimit: null,
  rate: null,
  demo: false,
  status: 'active',
  createdAt: 0,
  keyExpiresAt: null,
  key: defaultKey(0),
  ...more,
});
