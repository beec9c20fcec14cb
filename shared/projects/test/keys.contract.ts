/** Keys of projects, on every store; run by `adapters/*.test.ts`. */
import { describe, expect, it } from '@jest/globals';
import { eachOnNewPlace, SECRET, type ProjectPlaces } from './installation.contract.ts';
import { DuplicateKey, type ProjectWithKey } from '../src/ports.ts';
import { InvalidProject } from '../src/project.ts';
import { defaultKey } from '../src/project-key.ts';

/** The cases about keys and their rotation. */
export function describeKeys(store: string, places: ProjectPlaces): void {
  const { place, opened } = eachOnNewPlace(places);

  const add = (name?: string): Promise<ProjectWithKey> => place.add(opened, name);

  describe(`keys of projects on ${store}`, () => {
    it('keep working for the grace period of a rotation, then no longer, then are removed', async () => {
      const { project, key } = await add();
      const rotated = await opened.projects.rotate(project.id, { graceMs: 5_000 });
      expect(rotated.key).not.toBe(key);
      const end = place.clock.now() + 5_000;
      expect(await opened.projects.findByKey(key)).toEqual({
        ...project,
        keyExpiresAt: end,
        key: defaultKey(project.createdAt),
      });
      expect(await opened.projects.findByKey(rotated.key)).toEqual({
        ...project,
        keyExpiresAt: null,
        key: defaultKey(project.createdAt),
      });
      expect(await opened.projects.showKey(project.id)).toBe(rotated.key);
      expect(await opened.projects.removeExpiredKeys()).toBe(0);
      place.clock.time = end;
      expect(await opened.projects.findByKey(key)).toBeNull();
      expect(await opened.projects.removeExpiredKeys()).toBe(1);
      expect(await opened.projects.removeExpiredKeys()).toBe(0);
      expect(await opened.projects.findByKey(rotated.key)).not.toBeNull();
    });

    it('may be several, each with its own end, none later than the latest rotation allows', async () => {
      const { project, key: first } = await add();
      const { key: second } = await opened.projects.rotate(project.id, { graceMs: 1_000 });
      const { key: third } = await opened.projects.rotate(project.id, { graceMs: 9_000 });
      const endOf = async (key: string): Promise<number | null | undefined> =>
        (await opened.projects.findByKey(key))?.keyExpiresAt;
      const now = place.clock.now();
      expect([await endOf(first), await endOf(second), await endOf(third)]).toEqual([
        now + 1_000,
        now + 9_000,
        null,
      ]);
      const { key: last } = await opened.projects.rotate(project.id, { graceMs: 0 });
      expect(await Promise.all([first, second, third, last].map(endOf))).toEqual([
        undefined,
        undefined,
        undefined,
        null,
      ]);
    });

    it('all work after concurrent rotations, up to the limit of old keys', async () => {
      const other = await place.open();
      const { project, key } = await add();
      const rotated = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          (n % 2 === 0 ? opened : other).projects.rotate(project.id, { graceMs: 60_000 }),
        ),
      );
      const keys = [key, ...rotated.map((rotation) => rotation.key)];
      expect(new Set(keys).size).toBe(11);
      for (const each of keys) expect((await opened.projects.findByKey(each))?.id).toBe(project.id);
      await expect(opened.projects.rotate(project.id, { graceMs: 60_000 })).rejects.toThrow(InvalidProject);
      const last = await opened.projects.rotate(project.id, { graceMs: 0 });
      for (const each of keys) expect(await opened.projects.findByKey(each)).toBeNull();
      expect(await opened.projects.showKey(project.id)).toBe(last.key);
    });

    it('cannot be taken over from another project by a rotation', async () => {
      const [one, two] = await Promise.all([add('One'), add('Two')]);
      await expect(opened.projects.rotate(one.project.id, { graceMs: 0, key: two.key })).rejects.toThrow(
        DuplicateKey,
      );
      expect((await opened.projects.findByKey(one.key))?.name).toBe('One');
      expect((await opened.projects.findByKey(two.key))?.name).toBe('Two');
    });

    it('are found and shown after a change of the secret, as long as the former one is given', async () => {
      const { project, key } = await add();
      const next = { secret: 'the next secret, long enough' };
      const later = await place.open({ ...next, previousSecrets: [SECRET] });
      expect((await later.projects.findByKey(key))?.id).toBe(project.id);
      expect(await later.projects.showKey(project.id)).toBe(key);
      const rotated = await later.projects.rotate(project.id, { graceMs: 0 });
      const without = await place.open(next);
      expect((await without.projects.findByKey(rotated.key))?.id).toBe(project.id);
      expect(await without.projects.findByKey(key)).toBeNull();
      await expect(opened.projects.showKey(project.id)).rejects.toThrow('SECRETS_KEY');
    });
  });
}
