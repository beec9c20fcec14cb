import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { freeProject } from '../test/support/free-project.ts';
import type { ListedKey, ProjectRepository } from './ports.ts';
import { defaultKey } from './project-key.ts';
import { refuseWrongSecret, WrongSecret } from './wrong-secret.ts';

const key = (last4: string | null): ListedKey => ({
  ...defaultKey(0),
  ...{ last4, lastUsedAt: null, oldEnds: [], oldUsedAt: null, revokedAt: null },
});

/** A store with one project, which does not answer at first. */
const answeringAfter = (failures: number, last4: string | null) => ({
  asked: 0,
  async list(_most: number, after?: object) {
    if (this.asked++ < failures) throw new StoreUnavailable('MongoDB', new Error('no primary'));
    return after === undefined ? [freeProject('ada')] : [];
  },
  listKeys: async () => [key(last4)],
});

describe('a store that has no primary for a moment', () => {
  it('is asked again, and serves the right secret', async () => {
    const store = answeringAfter(1, 'abcd');
    await refuseWrongSecret(store satisfies Pick<ProjectRepository, 'list' | 'listKeys'>);
    expect(store.asked).toBe(2);
  });

  it('is asked again, and does not serve a wrong one', async () => {
    await expect(refuseWrongSecret(answeringAfter(1, null))).rejects.toBeInstanceOf(WrongSecret);
  });
});
