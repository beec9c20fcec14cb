/** The audit log and owners, on every store; run by `adapters/*.test.ts`. */
import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { allEntries, type AuditEntry, type AuditFilter, type AuditPosition } from '../src/audit.ts';
import { createProject } from '../src/create-project.ts';
import { eachOnNewPlace, type ProjectPlaces } from './installation.contract.ts';
import { ProjectNotFound, type ProjectWithKey } from '../src/ports.ts';
import { InvalidProject } from '../src/project.ts';

const ADA = { userId: 'user-ada', address: '192.0.2.7' };

/** The cases about owners and what they can see. */
export function describeOwners(store: string, places: ProjectPlaces): void {
  const { place, opened } = eachOnNewPlace(places);

  const addFor = (ownerId: string, name = 'Ada'): Promise<ProjectWithKey> =>
    createProject({ projects: opened.projects, ...place.platform }, { name, plan: 'free', ownerId }, ADA);

  const actionsOf = async (id: string): Promise<string[]> =>
    (await opened.audit.list(id, 100)).map(({ action }) => action);

  describe(`owners of projects on ${store}`, () => {
    it('have only their own projects, in pages, oldest first', async () => {
      const mine: string[] = [];
      for (let n = 0; n < 7; n++) {
        if (n % 2 === 0) place.clock.time += 1;
        mine.push((await addFor('ada', `Mine ${n}`)).project.id);
        await addFor('bob');
      }
      await place.add(opened, 'Nobody’s');
      const pages = [await opened.projects.listOwned('ada', 3)];
      for (let last = pages[0]?.at(-1); last !== undefined; last = pages.at(-1)?.at(-1)) {
        pages.push(await opened.projects.listOwned('ada', 3, last));
      }
      expect(pages.map((page) => page.length)).toEqual([3, 3, 1, 0]);
      const listed = pages.flat();
      expect(listed.map(({ id }) => id).sort()).toEqual(mine.sort());
      expect(listed.map(({ createdAt }) => createdAt)).toEqual(
        listed.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b),
      );
      expect(await opened.projects.listOwned('carol', 3)).toEqual([]);
    });

    it('remain owners through every change; a project of an operator has none', async () => {
      const { project } = await addFor('ada');
      await opened.projects.setPlan(project.id, { plan: 'growth' });
      await opened.projects.rotate(project.id, { graceMs: 0 });
      expect((await opened.projects.findById(project.id))?.ownerId).toBe('ada');
      const { project: unowned } = await place.add(opened);
      expect((await opened.projects.findById(unowned.id))?.ownerId).toBeNull();
    });

    it('can rename a project, which publishes no event', async () => {
      const { project, key } = await addFor('ada');
      const claim = { by: 'test', now: place.clock.now(), until: 0 };
      await opened.outbox.markSent('test', await opened.outbox.claim({ ...claim, until: claim.now + 1 }, 10));
      place.clock.time += 5;
      expect((await opened.projects.rename(project.id, '  Lovelace ', ADA)).name).toBe('Lovelace');
      expect(await opened.projects.findByKey(key)).toMatchObject({ name: 'Lovelace', ownerId: 'ada' });
      expect(await opened.outbox.claim({ ...claim, now: place.clock.now() }, 10)).toEqual([]);
      await expect(opened.projects.rename(project.id, ' ')).rejects.toThrow(InvalidProject);
      await expect(opened.projects.rename(randomUUID(), 'x')).rejects.toThrow(ProjectNotFound);
    });

    it('can see until when old keys work', async () => {
      const { project } = await addFor('ada');
      const endsOf = async (id: string) => (await opened.projects.listKeys(id))[0]?.oldEnds;
      const other = await opened.projects.createKey(project.id, { name: 'Other' });
      await opened.projects.rotate(project.id, { keyId: other.key.id, graceMs: 20_000 });
      expect(await endsOf(project.id)).toEqual([]);
      await opened.projects.rotate(project.id, { graceMs: 1_000 });
      await opened.projects.rotate(project.id, { graceMs: 9_000 });
      const now = place.clock.now();
      expect(await endsOf(project.id)).toEqual([now + 9_000, now + 1_000]);
      place.clock.time += 1_000;
      expect(await endsOf(project.id)).toEqual([now + 9_000]);
      expect(await endsOf(randomUUID())).toBeUndefined();
    });
  });

  describe(`the audit log of projects on ${store}`, () => {
    it('has a line for every look at a key and every change, the newest first', async () => {
      const { project } = await addFor('ada');
      const { id } = project;
      const steps: (() => Promise<unknown>)[] = [
        () => opened.projects.showKey(id, ADA),
        () => opened.projects.rename(id, 'Lovelace', ADA),
        () => opened.projects.rotate(id, { graceMs: 60_000 }, ADA),
        () => opened.projects.setPlan(id, { plan: 'starter' }),
        () => opened.projects.suspend(id),
        () => opened.projects.resume(id),
      ];
      for (const step of steps) {
        place.clock.time += 1_000;
        await step();
      }
      expect(await opened.projects.planChangedAt(id)).toBe(place.clock.now() - 2_000);
      expect(await opened.projects.planChangedAt(randomUUID())).toBeNull();
      const entries = await opened.audit.list(id, 100);
      const end = new Date(place.clock.now() - 3_000 + 60_000).toISOString();
      const operator = { userId: null, address: null };
      expect(
        entries.map(({ action, detail, userId, address }) => [action, detail, { userId, address }]),
      ).toEqual([
        ['resumed', null, operator],
        ['suspended', null, operator],
        ['plan-changed', 'free to starter', operator],
        ['key-rotated', `old keys work until ${end}`, ADA],
        ['renamed', null, ADA],
        ['key-shown', null, ADA],
        ['created', 'plan free', ADA],
      ]);
      expect(entries.map(({ at }) => place.clock.now() - at)).toEqual(
        [0, 1, 2, 3, 4, 5, 6].map((s) => s * 1_000),
      );
      expect(new Set(entries.map((entry) => entry.id)).size).toBe(7);
    });

    it('has no line for what changes nothing, is refused, or concerns another project', async () => {
      const { project } = await addFor('ada');
      const { project: other } = await addFor('bob');
      await opened.projects.setPlan(project.id, { plan: 'free' });
      await opened.projects.resume(project.id);
      await opened.projects.rename(project.id, 'Ada');
      await expect(opened.projects.rename(project.id, '')).rejects.toThrow(InvalidProject);
      // Entries of one millisecond have no order.
      place.clock.time += 1;
      await opened.projects.showKey(other.id, ADA);
      expect(await opened.projects.showKey(randomUUID(), ADA)).toBeNull();
      expect(await actionsOf(project.id)).toEqual(['created']);
      expect(await actionsOf(other.id)).toEqual(['key-shown', 'created']);
    });

    it('is filtered by action, actor and time', async () => {
      const { project } = await addFor('ada');
      const begun = place.clock.now();
      place.clock.time += 1_000;
      await opened.projects.showKey(project.id, ADA);
      place.clock.time += 1_000;
      await opened.projects.changeAlerts(project.id, { detail: 'at 50%', store: async () => undefined }, ADA);
      place.clock.time += 1_000;
      await opened.projects.setPlan(project.id, { plan: 'starter' });
      const found = async (filter: AuditFilter, below?: AuditPosition): Promise<string[]> =>
        (await opened.audit.list(project.id, 100, below, filter)).map(({ action }) => action);
      expect(await found({})).toEqual(['plan-changed', 'alerts-changed', 'key-shown', 'created']);
      expect(await found({ action: 'key-shown' })).toEqual(['key-shown']);
      expect(await found({ userId: null })).toEqual(['plan-changed']);
      expect(await found({ userId: ADA.userId })).toEqual(['alerts-changed', 'key-shown', 'created']);
      expect(await found({ from: begun + 1_000, before: begun + 3_000 })).toEqual([
        'alerts-changed',
        'key-shown',
      ]);
      expect(await found({ userId: ADA.userId }, { at: begun + 2_000, id: '' })).toEqual([
        'key-shown',
        'created',
      ]);
      const all = await Array.fromAsync(allEntries(opened.audit, project.id, { userId: null }));
      expect(all.map(({ action }) => action)).toEqual(['plan-changed']);
    });

    it('never holds a key, whatever a project is called', async () => {
      const { project, key } = await addFor('ada');
      await opened.projects.rename(project.id, key, ADA);
      const { key: next } = await opened.projects.rotate(project.id, { graceMs: 1_000 }, ADA);
      await opened.projects.showKey(project.id, ADA);
      const text = JSON.stringify(await opened.audit.list(project.id, 100));
      expect(text).toContain('key-rotated');
      expect(text).not.toContain(key);
      expect(text).not.toContain(next);
    });

    it('has one line for a change that met concurrent ones', async () => {
      const other = await place.open();
      const { project } = await addFor('ada');
      await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          (n % 2 === 0 ? opened : other).projects.rotate(project.id, { graceMs: 0 }, ADA),
        ),
      );
      expect((await actionsOf(project.id)).filter((action) => action === 'key-rotated')).toHaveLength(10);
    });

    it('is read in pages that miss nothing, even within one millisecond', async () => {
      const { project } = await addFor('ada');
      for (let n = 0; n < 11; n++) await opened.projects.showKey(project.id, ADA);
      const all = await opened.audit.list(project.id, 100);
      const paged: AuditEntry[] = [];
      for (let below: AuditEntry | undefined; ; below = paged.at(-1)) {
        const page = await opened.audit.list(project.id, 5, below);
        paged.push(...page);
        if (page.length < 5) break;
      }
      expect(all).toHaveLength(12);
      expect(paged).toEqual(all);
    });

    it('removes its oldest lines, a bounded number at a time', async () => {
      const { project } = await addFor('ada');
      for (let n = 0; n < 4; n++) {
        place.clock.time += 1_000;
        await opened.projects.showKey(project.id, ADA);
      }
      const edge = place.clock.now() - 1_000;
      expect(await opened.audit.removeBefore(edge, 2)).toBe(2);
      expect(await opened.audit.removeBefore(edge, 2)).toBe(1);
      expect(await opened.audit.removeBefore(edge, 2)).toBe(0);
      expect((await opened.audit.list(project.id, 10)).map(({ at }) => at)).toEqual([edge + 1_000, edge]);
    });
  });
}
