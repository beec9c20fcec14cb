/** Putting keys under a new secret, on every store; run by `adapters/*.test.ts`. */
import { describe, expect, it } from '@jest/globals';
import { eachOnNewPlace, SECRET, type ProjectPlaces } from './installation.contract.ts';
import type { OpenProjects } from '../src/open.ts';
import type { ProjectWithKey, Resealed } from '../src/ports.ts';

const NEXT = { secret: 'the next secret, long enough' };
const BOTH = { ...NEXT, previousSecrets: [SECRET] };

/** The cases about a change of `SECRETS_KEY`. */
export function describeReseal(store: string, places: ProjectPlaces): void {
  const { place, opened } = eachOnNewPlace(places);

  const addSeven = async (): Promise<ProjectWithKey[]> => {
    const created: ProjectWithKey[] = [];
    for (let n = 0; n < 7; n++) {
      place.clock.time += n % 2;
      created.push(await place.add(opened, `Project ${n}`));
    }
    return created;
  };

  const resealAll = async ({ projects }: OpenProjects): Promise<Resealed[]> => {
    const pages: Resealed[] = [];
    for (let last: Resealed['last'] | undefined; last !== null;) {
      const page = await projects.resealKeys(3, last);
      pages.push(page);
      last = page.last;
    }
    return pages;
  };

  describe(`a new secret for the keys of projects on ${store}`, () => {
    it('takes over all keys, so that the former one is no longer needed; old keys keep their end', async () => {
      const created = await addSeven();
      const { id } = created[2]!.project;
      const { key: rotated } = await opened.projects.rotate(id, { graceMs: 60_000 });
      const both = await place.open(BOTH);
      const pages = await resealAll(both);
      expect(pages.flatMap(({ resealed }) => resealed).sort()).toEqual(
        created.map(({ project }) => project.id).sort(),
      );
      const without = await place.open(NEXT);
      for (const { project, key } of created) {
        expect((await without.projects.findByKey(key))?.id).toBe(project.id);
        expect(await without.projects.showKey(project.id)).toBe(project.id === id ? rotated : key);
      }
      const end = place.clock.now() + 60_000;
      expect((await without.projects.findByKey(created[2]!.key))?.keyExpiresAt).toBe(end);
      expect((await without.projects.findByKey(rotated))?.keyExpiresAt).toBeNull();
      expect(await opened.projects.findByKey(created[0]!.key)).toBeNull();
    });

    it('may be interrupted anywhere: all keys keep working, and another run does only the rest', async () => {
      const created = await addSeven();
      const both = await place.open(BOTH);
      const first = await both.projects.resealKeys(4);
      expect(first.resealed).toHaveLength(4);
      const later = await place.open(BOTH);
      for (const { project, key } of created) {
        expect((await later.projects.findByKey(key))?.id).toBe(project.id);
        expect(await later.projects.showKey(project.id)).toBe(key);
      }
      const pages = await resealAll(later);
      expect(pages.reduce((sum, { unchanged }) => sum + unchanged, 0)).toBe(4);
      expect(pages.flatMap(({ resealed }) => resealed)).toHaveLength(3);
      const again = await resealAll(later);
      expect(again.reduce((sum, { unchanged }) => sum + unchanged, 0)).toBe(7);
    });

    it('loses no concurrent change', async () => {
      const created = await addSeven();
      const [one, two] = await Promise.all([place.open(BOTH), place.open(BOTH)]);
      const [rotated] = await Promise.all([
        Promise.all(created.map(({ project }) => one.projects.rotate(project.id, { graceMs: 60_000 }))),
        resealAll(two),
        resealAll(one),
      ]);
      await resealAll(two);
      const without = await place.open(NEXT);
      for (const { project, key } of [...created, ...rotated]) {
        expect((await without.projects.findByKey(key))?.id).toBe(project.id);
      }
    });

    it('names the projects whose keys no given secret opens, and continues with the others', async () => {
      const created = await addSeven();
      const foreign = await place.open({ secret: 'a secret that got lost, alas' });
      const { project: lost } = await place.add(foreign, 'Lost');
      const pages = await resealAll(await place.open(BOTH));
      expect(pages.flatMap(({ unreadable }) => unreadable)).toEqual([lost.id]);
      expect(pages.flatMap(({ resealed }) => resealed)).toHaveLength(created.length);
    });

    it('publishes no event, because the projects do not change', async () => {
      const { project } = await place.add(opened);
      const claim = { by: 'test', now: place.clock.now(), until: place.clock.now() + 1 };
      await opened.outbox.markSent('test', await opened.outbox.claim(claim, 10));
      place.clock.time += 5;
      await resealAll(await place.open(BOTH));
      const now = place.clock.now();
      expect(await opened.outbox.claim({ by: 'test', now, until: now + 1 }, 10)).toEqual([]);
      expect((await opened.audit.list(project.id, 10)).map(({ action }) => action)).toEqual(['created']);
    });
  });
}
