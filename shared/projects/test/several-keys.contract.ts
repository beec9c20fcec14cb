/** Several keys a project, and the end of a project, on every store; run by `adapters/*.test.ts`. */
import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ensureDemoProject } from '../src/create-project.ts';
import {
  KeyNotFound,
  ProjectNotFound,
  type KeyWithSecret,
  type ListedKey,
  type ProjectWithKey,
} from '../src/ports.ts';
import { InvalidProject } from '../src/project.ts';
import { DEFAULT_KEY_ID, MAX_KEYS, oldSecretId, type KeyChoice } from '../src/project-key.ts';
import { eachOnNewPlace, type ProjectPlaces } from './installation.contract.ts';

const ADA = { userId: 'user-ada', address: '192.0.2.7' };

/** The cases about several keys and about deletion. */
export function describeSeveralKeys(store: string, places: ProjectPlaces): void {
  const { place, opened } = eachOnNewPlace(places);

  const add = (): Promise<ProjectWithKey> => place.add(opened);
  const addKey = (id: string, choice: KeyChoice = {}): Promise<KeyWithSecret> =>
    opened.projects.createKey(id, { name: 'Worker', ...choice }, ADA);
  const idOf = async (secret: string): Promise<string | undefined> =>
    (await opened.projects.findByKey(secret))?.key.id;
  const eventsOf = async (): Promise<string[]> => {
    const claim = { by: 'test', now: place.clock.now(), until: place.clock.now() + 1 };
    const entries = await opened.outbox.claim(claim, 100);
    return entries.map(({ change }) => change);
  };

  describe(`several keys of a project on ${store}`, () => {
    it('have terms of their own, and are listed without their secrets', async () => {
      const { project, key: first } = await add();
      place.clock.time += 5;
      const terms = {
        name: 'Webhook of the exchange',
        scopes: ['webhook'],
        allowedAddresses: ['203.0.113.0/24', '2001:db8::1'],
        allowedOrigins: ['https://app.example.com'],
        expiresAt: place.clock.now() + 1_000,
        monthlyCap: 500,
      } as const;
      const { key, secret } = await opened.projects.createKey(project.id, terms, ADA);
      expect(key).toEqual({ id: key.id, createdAt: place.clock.now(), ...terms });
      expect(await opened.projects.findByKey(secret)).toEqual({ ...project, keyExpiresAt: null, key });
      expect(await idOf(first)).toBe(DEFAULT_KEY_ID);
      const listed = await opened.projects.listKeys(project.id);
      expect(listed.map(({ id, last4 }) => [id, last4])).toEqual([
        [DEFAULT_KEY_ID, first.slice(-4)],
        [key.id, secret.slice(-4)],
      ]);
      expect(JSON.stringify(listed)).not.toContain(secret);
      expect(await opened.projects.showKey(project.id, ADA, key.id)).toBe(secret);
      expect(await opened.projects.showKey(project.id, ADA)).toBe(first);
      expect(await opened.projects.showKey(project.id, ADA, 'k000000000')).toBeNull();
      // It has expired, but is still known: its callers learn why it is refused.
      place.clock.time += 5_000;
      expect(await idOf(secret)).toBe(key.id);
    });

    it('are changed one by one; what is not given stays', async () => {
      const { project } = await add();
      const { key, secret } = await addKey(project.id, { monthlyCap: 10 });
      const other = await addKey(project.id);
      await opened.projects.updateKey(project.id, key.id, { scopes: ['read'], monthlyCap: 20 }, ADA);
      const found = await opened.projects.findByKey(secret);
      expect(found?.key).toEqual({ ...key, scopes: ['read'], monthlyCap: 20 });
      expect((await opened.projects.findByKey(other.secret))?.key).toEqual(other.key);
      await opened.projects.updateKey(project.id, key.id, { monthlyCap: 20 }, ADA);
      expect(
        (await opened.audit.list(project.id, 10)).map(({ action, detail }) => [action, detail]),
      ).toContainEqual(['key-changed', `key ${key.id}: scopes, monthly cap`]);
      expect(await eventsOf()).toEqual(['created', 'key-created', 'key-created', 'key-changed']);
    });

    it('are rotated one by one, each with its grace period', async () => {
      const { project, key: first } = await add();
      const { key, secret } = await addKey(project.id);
      const rotated = await opened.projects.rotate(project.id, { keyId: key.id, graceMs: 1_000 }, ADA);
      expect(await Promise.all([first, secret, rotated.key].map(idOf))).toEqual([
        DEFAULT_KEY_ID,
        key.id,
        key.id,
      ]);
      const ends = (await opened.projects.listKeys(project.id)).map(({ oldEnds }) => oldEnds);
      expect(ends).toEqual([[], [place.clock.now() + 1_000]]);
      place.clock.time += 1_000;
      expect(await opened.projects.removeExpiredKeys()).toBe(1);
      expect(await Promise.all([first, secret, rotated.key].map(idOf))).toEqual([
        DEFAULT_KEY_ID,
        undefined,
        key.id,
      ]);
    });

    it('are revoked at once, with their old secrets; their names stay', async () => {
      const { project, key: first } = await add();
      const { key, secret } = await addKey(project.id);
      const { key: next } = await opened.projects.rotate(project.id, { keyId: key.id, graceMs: 60_000 });
      await opened.projects.revokeKey(project.id, key.id, ADA);
      expect(await Promise.all([first, secret, next].map(idOf))).toEqual([
        DEFAULT_KEY_ID,
        undefined,
        undefined,
      ]);
      const [, revoked] = await opened.projects.listKeys(project.id);
      expect(revoked).toMatchObject({ name: 'Worker', last4: null, revokedAt: place.clock.now() });
      await expect(opened.projects.revokeKey(project.id, key.id)).rejects.toThrow(KeyNotFound);
      await expect(opened.projects.updateKey(project.id, key.id, { name: 'x' })).rejects.toThrow(KeyNotFound);
      await expect(opened.projects.rotate(project.id, { keyId: key.id, graceMs: 0 })).rejects.toThrow(
        KeyNotFound,
      );
      await expect(opened.projects.revokeKey(project.id, DEFAULT_KEY_ID)).rejects.toThrow(InvalidProject);
      expect(await opened.projects.showKey(project.id, ADA, key.id)).toBeNull();
    });

    it(`are at most ${MAX_KEYS} that work, under concurrent creations too`, async () => {
      const other = await place.open();
      const { project } = await add();
      const create = (n: number): Promise<KeyWithSecret> =>
        (n % 2 === 0 ? opened : other).projects.createKey(project.id, { name: `Key ${n}` });
      // Beside the first one; more at once than the rest would be too many changes for a busy store.
      for (let n = 1; n < MAX_KEYS - 4; n++) await create(n);
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => create(MAX_KEYS + n)));
      const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(failures.map(({ reason }) => reason instanceof InvalidProject)).toEqual([
        true,
        true,
        true,
        true,
      ]);
      const keys = await opened.projects.listKeys(project.id);
      expect(new Set(keys.map(({ id }) => id)).size).toBe(MAX_KEYS);
      await opened.projects.revokeKey(project.id, DEFAULT_KEY_ID);
      expect((await addKey(project.id)).key.name).toBe('Worker');
    });

    it('have their last use noted, the latest one', async () => {
      const { project } = await add();
      const { key } = await addKey(project.id);
      const [projectId, keyId] = [project.id, key.id];
      await opened.projects.noteKeyUses([{ projectId, keyId, at: 60_000 }]);
      await opened.projects.noteKeyUses([
        { projectId, keyId, at: 30_000 },
        { projectId: randomUUID(), keyId, at: 90_000 },
      ]);
      await opened.projects.noteKeyUses([]);
      const keys = await opened.projects.listKeys(projectId);
      expect(keys.map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, 60_000]);
    });

    it('have the last use of their old secrets apart, until those end', async () => {
      const { project, key: old } = await add();
      const [projectId, keyId] = [project.id, DEFAULT_KEY_ID];
      const usedAt = async (): Promise<unknown> => {
        const [{ lastUsedAt, oldUsedAt }] = (await opened.projects.listKeys(projectId)) as [ListedKey];
        return [lastUsedAt, oldUsedAt];
      };
      await opened.projects.noteKeyUses([{ projectId, keyId, at: 60_000 }]);
      await opened.projects.rotate(projectId, { graceMs: 1_000 });
      expect(await usedAt()).toEqual([60_000, null]);
      const end = (await opened.projects.findByKey(old))!.keyExpiresAt!;
      await opened.projects.noteKeyUses([{ projectId, keyId: oldSecretId(keyId, end), at: 120_000 }]);
      expect(await usedAt()).toEqual([60_000, 120_000]);
      place.clock.time = end;
      expect(await usedAt()).toEqual([60_000, null]);
    });

    it('never have a secret or a name in the audit log', async () => {
      const { project, key: first } = await add();
      const { key, secret } = await addKey(project.id, { name: first });
      await opened.projects.updateKey(project.id, key.id, { name: secret }, ADA);
      await opened.projects.showKey(project.id, ADA, key.id);
      await opened.projects.rotate(project.id, { keyId: key.id, graceMs: 0 }, ADA);
      await opened.projects.revokeKey(project.id, key.id, ADA);
      const lines = await opened.audit.list(project.id, 10);
      expect(lines.map(({ action }) => action).sort()).toEqual([
        'created',
        'key-changed',
        'key-created',
        'key-revoked',
        'key-rotated',
        'key-shown',
      ]);
      for (const text of [first, secret]) expect(JSON.stringify(lines)).not.toContain(text);
    });
  });

  describe(`a deleted project on ${store}`, () => {
    it('has no key that works, stays with its audit log, and cannot be changed any more', async () => {
      const { project, key } = await add();
      const second = await addKey(project.id);
      const { project: other } = await add();
      await opened.projects.delete(project.id, ADA);
      await opened.projects.delete(other.id, ADA);
      expect(await Promise.all([key, second.secret].map(idOf))).toEqual([undefined, undefined]);
      expect(await opened.projects.findById(project.id)).toEqual({ ...project, status: 'deleted' });
      expect(await opened.projects.showKey(project.id)).toBeNull();
      expect((await opened.projects.listKeys(project.id)).map(({ name }) => name)).toEqual([
        'Default',
        'Worker',
      ]);
      const lines = await opened.audit.list(project.id, 10);
      expect(lines.map(({ action }) => action).sort()).toEqual(['created', 'deleted', 'key-created']);
      expect(await eventsOf()).toEqual(expect.arrayContaining(['created', 'key-created', 'deleted']));
      const changes: (() => Promise<unknown>)[] = [
        () => opened.projects.delete(project.id),
        () => opened.projects.resume(project.id),
        () => addKey(project.id),
        () => opened.projects.rotate(project.id, { graceMs: 0 }),
      ];
      for (const change of changes) await expect(change()).rejects.toThrow(ProjectNotFound);
      expect((await opened.projects.resealKeys(10)).unreadable).toEqual([]);
    });

    it('is never the demo', async () => {
      const { project, key } = await ensureDemoProject({ projects: opened.projects, ...place.platform });
      await expect(opened.projects.delete(project.id)).rejects.toThrow(InvalidProject);
      expect(await idOf(key)).toBe(DEFAULT_KEY_ID);
    });
  });
}
