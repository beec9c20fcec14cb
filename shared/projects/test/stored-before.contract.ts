/** Projects that the version before has stored, with one key each; run by `adapters/*.test.ts`. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { generateKey } from '../src/key.ts';
import { KeyVault } from '../src/key-vault.ts';
import { DEFAULT_KEY_ID, defaultKey } from '../src/project-key.ts';
import type { StoredKey } from '../src/record.ts';
import { Installation, SECRET, type ProjectPlaces } from './installation.contract.ts';

/** A project as that version knew it. */
export interface StoredBefore {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  /** The current secret, and one that a rotation has left. */
  readonly secrets: readonly [StoredKey, StoredKey];
}

/** @param write stores a project as the version before did */
export function describeStoredBefore(
  store: string,
  places: ProjectPlaces,
  write: (settings: Installation['settings'], project: StoredBefore) => Promise<void>,
): void {
  describe(`a project that the version before has stored on ${store}`, () => {
    let place: Installation;
    afterEach(() => place.close());

    it('has one key with all scopes, goes on working, and can have more', async () => {
      place = new Installation(await places.fresh());
      const now = place.clock.now();
      const [current, old] = [generateKey(), generateKey()];
      const vault = new KeyVault(SECRET);
      const seal = (key: string, expiresAt: number | null): StoredKey => ({
        index: vault.index(key),
        sealed: vault.seal(key),
        expiresAt,
      });
      await write(place.settings, {
        id: 'p-before',
        name: 'Before',
        createdAt: 7,
        secrets: [seal(current, null), seal(old, now + 60_000)],
      });
      const { projects } = await place.open();
      expect(await projects.findByKey(current)).toMatchObject({
        id: 'p-before',
        keyExpiresAt: null,
        key: defaultKey(7),
      });
      expect(await projects.findByKey(old)).toMatchObject({ keyExpiresAt: now + 60_000, key: defaultKey(7) });
      expect(await projects.showKey('p-before')).toBe(current);
      expect(await projects.listKeys('p-before')).toEqual([
        {
          ...defaultKey(7),
          last4: current.slice(-4),
          lastUsedAt: null,
          oldEnds: [now + 60_000],
          oldUsedAt: null,
          revokedAt: null,
        },
      ]);
      const { key, secret } = await projects.createKey('p-before', { name: 'Second', scopes: ['usage'] });
      expect(await projects.findByKey(secret)).toMatchObject({ key: { id: key.id, scopes: ['usage'] } });
      const next = await projects.rotate('p-before', { graceMs: 1_000 });
      expect(await projects.findByKey(next.key)).toMatchObject({ key: { id: DEFAULT_KEY_ID } });
      expect((await projects.findByKey(old))?.keyExpiresAt).toBe(now + 1_000);
      expect((await projects.findByKey(current))?.keyExpiresAt).toBe(now + 1_000);
    });
  });
}
