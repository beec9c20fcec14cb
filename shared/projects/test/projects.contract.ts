/** Projects, on every store; run by `adapters/*.test.ts`. */
import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { untilDone } from '@hindsight/stores/test/support/troubled-mongodb.ts';
import { ensureDemoProject } from '../src/create-project.ts';
import { generateKey } from '../src/key.ts';
import { eachOnNewPlace, type ProjectPlaces } from './installation.contract.ts';
import { DuplicateKey, DuplicateProject, ProjectNotFound, type ProjectWithKey } from '../src/ports.ts';
import { InvalidProject, type Project } from '../src/project.ts';
import { defaultKey } from '../src/project-key.ts';
import type { ListPosition } from '../src/store.ts';
import { freeProject } from './support/free-project.ts';

/** The cases about projects. */
export function describeProjects(store: string, places: ProjectPlaces): void {
  const { place, opened } = eachOnNewPlace(places);

  const add = (name?: string): Promise<ProjectWithKey> => place.add(opened, name);

  const allProjects = async (pageSize = 100): Promise<Project[]> => {
    const all: Project[] = [];
    for (let after: ListPosition | undefined; ; after = all.at(-1)) {
      const page = await opened.projects.list(pageSize, after);
      all.push(...page);
      if (page.length < pageSize) return all;
    }
  };

  describe(`projects on ${store}`, () => {
    it('are found by key and by id, and show their key', async () => {
      const { project, key } = await add();
      expect(await opened.projects.findByKey(key)).toEqual({
        ...project,
        keyExpiresAt: null,
        key: defaultKey(project.createdAt),
      });
      expect(await opened.projects.findById(project.id)).toEqual(project);
      expect(await opened.projects.showKey(project.id)).toBe(key);
      await untilItWorks('the store answers in time', async () =>
        expect(await opened.check.check()).toBe('answers'),
      );
    });

    it('are not found by unknown keys or ids', async () => {
      await add();
      expect(await opened.projects.findByKey(generateKey())).toBeNull();
      expect(await opened.projects.findById(randomUUID())).toBeNull();
      expect(await opened.projects.showKey(randomUUID())).toBeNull();
      expect(await opened.projects.findDemo()).toBeNull();
    });

    it('never share a key, under 60 concurrent creations', async () => {
      const other = await place.open();
      const key = generateKey();
      const attempts = Array.from({ length: 60 }, (_, n) => {
        const named = { name: `Racer ${n}`, createdAt: place.clock.now() };
        const project = freeProject(randomUUID(), named);
        const { projects } = n % 2 === 0 ? opened : other;
        // So many may be too many for a busy store. An attempt that it did not answer may have been executed.
        return untilDone(() => projects.create({ project, key })).catch((error: unknown) => {
          if (!(error instanceof DuplicateProject)) throw error;
        });
      });
      const outcomes = await Promise.allSettled(attempts);
      const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(failures).toHaveLength(59);
      expect(failures.every(({ reason }) => reason instanceof DuplicateKey)).toBe(true);
      const [winner, ...others] = await allProjects();
      expect(others).toEqual([]);
      expect((await opened.projects.findByKey(key))?.id).toBe(winner?.id);
    });

    it('have one demo project when 60 processes create it at once', async () => {
      const other = await place.open();
      const made = await Promise.all(
        Array.from({ length: 60 }, (_, n) => {
          const { projects } = n % 2 === 0 ? opened : other;
          return untilDone(() => ensureDemoProject({ projects, ...place.platform }));
        }),
      );
      expect(new Set(made.map(({ key }) => key)).size).toBe(1);
      expect((await allProjects()).filter(({ demo }) => demo)).toHaveLength(1);
      expect(await opened.projects.findDemo()).toEqual(made[0]);
    });

    it('give the demo project the key that is set, and end the former one at once', async () => {
      const parts = { projects: opened.projects, ...place.platform };
      const first = await ensureDemoProject(parts);
      const key = generateKey();
      const [second] = await Promise.all([ensureDemoProject(parts, key), ensureDemoProject(parts, key)]);
      expect(second.key).toBe(key);
      expect(await opened.projects.findByKey(first.key)).toBeNull();
      expect((await opened.projects.findByKey(key))?.demo).toBe(true);
      expect((await ensureDemoProject(parts)).key).toBe(key);
      expect((await ensureDemoProject(parts, first.key)).key).toBe(first.key);
      const taken = await add();
      await expect(ensureDemoProject(parts, taken.key)).rejects.toThrow(/DEMO_KEY is a key of another/);
    });

    it('keep both of two concurrent changes', async () => {
      const other = await place.open();
      const created = await Promise.all(Array.from({ length: 20 }, () => untilDone(() => add())));
      await Promise.all(
        created.flatMap(({ project }) => [
          untilDone(() => opened.projects.setPlan(project.id, { plan: 'growth' })),
          untilDone(() => other.projects.suspend(project.id)),
          untilDone(() => other.projects.rotate(project.id, { graceMs: 1_000 })),
        ]),
      );
      for (const { key } of created) {
        const found = await opened.projects.findByKey(key);
        expect(found).toMatchObject({ plan: 'growth', status: 'suspended' });
        expect(found?.keyExpiresAt).toBe(place.clock.now() + 1_000);
      }
    });

    it('take plans and limits, and refuse those that do not go together', async () => {
      const { project } = await add();
      const { id } = project;
      const enterprise = { plan: 'enterprise', monthlyLimit: 7_000_000_000, rate: 400 } as const;
      expect(await opened.projects.setPlan(id, enterprise)).toEqual({ ...project, ...enterprise });
      expect(await opened.projects.findById(id)).toEqual({ ...project, ...enterprise });
      await expect(opened.projects.setPlan(id, { plan: 'enterprise', rate: 5 })).rejects.toThrow(
        InvalidProject,
      );
      await expect(opened.projects.setPlan(id, { plan: 'free', monthlyLimit: 5 })).rejects.toThrow(
        InvalidProject,
      );
      expect(await opened.projects.setPlan(id, { plan: 'starter' })).toEqual({ ...project, plan: 'starter' });
    });

    it('are suspended and resumed', async () => {
      const { project, key } = await add();
      await opened.projects.suspend(project.id);
      expect((await opened.projects.findByKey(key))?.status).toBe('suspended');
      await opened.projects.resume(project.id);
      expect((await opened.projects.findByKey(key))?.status).toBe('active');
    });

    it('refuse a change of an unknown project', async () => {
      const id = randomUUID();
      await expect(opened.projects.suspend(id)).rejects.toThrow(ProjectNotFound);
      await expect(opened.projects.setPlan(id, { plan: 'free' })).rejects.toThrow(ProjectNotFound);
      await expect(opened.projects.rotate(id, { graceMs: 0 })).rejects.toThrow(ProjectNotFound);
    });

    it('are listed in pages, oldest first, each once, also while others are added', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 25; n++) {
        // Some are created in the same millisecond.
        if (n % 3 === 0) place.clock.time += 1;
        ids.push((await add(`Project ${n}`)).project.id);
      }
      place.clock.time += 1;
      const pages: Project[][] = [];
      for (let after: Project | undefined; ; after = pages.at(-1)?.at(-1)) {
        const page = await opened.projects.list(7, after);
        pages.push(page);
        if (page.length < 7 || pages.length > 10) break;
        await add('A late one');
      }
      const listed = pages.flat();
      expect(
        listed
          .slice(0, 25)
          .map(({ id }) => id)
          .sort(),
      ).toEqual([...ids].sort());
      expect(listed.slice(25).every(({ name }) => name === 'A late one')).toBe(true);
      const order = listed.map(({ createdAt }) => createdAt);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect((await allProjects(10)).slice(0, 25)).toEqual(listed.slice(0, 25));
    });
  });
}
