/** The outbox of projects, on every store; run by `adapters/*.test.ts`. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { createProject } from '../src/create-project.ts';
import type { OpenProjects } from '../src/open.ts';
import { createRelay, relayPending, type ChangePublisher, type ProjectChanged } from '../src/outbox-relay.ts';
import type { ChildOrder } from './projects.child.ts';
import { Installation, type ProjectPlaces } from './installation.contract.ts';

/** Keeps published events; fails or delays on demand. */
class RecordingBus implements ChangePublisher {
  readonly events: ProjectChanged[] = [];
  failures = 0;
  delayMs = 0;

  async publish(_topic: 'projects.changed', events: readonly ProjectChanged[]): Promise<void> {
    await sleep(this.delayMs);
    if (this.failures > 0) {
      this.failures--;
      throw new Error('the log is unavailable');
    }
    this.events.push(...events);
  }

  typesOf(projectId: string): string[] {
    return this.events.filter(({ data }) => data.projectId === projectId).map(({ type }) => type);
  }
}

const PUBLISHED_WITHIN_MS = 1_000;
const MAX_ROUNDS = 30;
const CHILD = join(import.meta.dirname, 'projects.child.ts');
const logger = createLogger({ name: 'test', level: 'silent' });

/** The cases about events of changes. */
export function describeOutbox(store: string, places: ProjectPlaces): void {
  let place: Installation;
  let opened: OpenProjects;
  let bus: RecordingBus;
  beforeEach(async () => {
    place = new Installation(await places.fresh());
    opened = await place.open();
    bus = new RecordingBus();
  });
  afterEach(() => place.close());

  const relayOf = (relayId: string, { outbox } = opened) => ({ outbox, bus, clock: place.clock, relayId });
  const relay = (relayId: string): Promise<number> => relayPending(relayOf(relayId));

  const addChanged = async (): Promise<string> => {
    const parts = { projects: opened.projects, ...place.platform };
    const { project } = await createProject(parts, { name: 'Ada', plan: 'free' });
    await opened.projects.setPlan(project.id, { plan: 'growth' });
    await opened.projects.suspend(project.id);
    await opened.projects.resume(project.id);
    await opened.projects.rotate(project.id, { graceMs: 1_000 });
    return project.id;
  };
  const CHANGES = ['created', 'plan-changed', 'suspended', 'resumed', 'key-rotated'];

  describe(`the outbox of projects on ${store}`, () => {
    it('publishes each change once, in order, and nothing for what changed nothing', async () => {
      const id = await addChanged();
      await opened.projects.setPlan(id, { plan: 'growth' });
      await opened.projects.resume(id);
      expect(await relay('one')).toBe(5);
      expect(await relay('two')).toBe(0);
      expect(bus.typesOf(id)).toEqual(CHANGES);
      expect(new Set(bus.events.map((event) => event.id)).size).toBe(5);
      const at = new Date(place.clock.now()).toISOString();
      expect(bus.events[1]?.data).toEqual({ projectId: id, change: 'plan-changed', at });
    });

    it('has no event of a change that was refused', async () => {
      const id = await addChanged();
      await relay('one');
      await expect(opened.projects.setPlan(id, { plan: 'enterprise' })).rejects.toThrow();
      const { key } = await createProject(
        { projects: opened.projects, ...place.platform },
        { name: 'Bob', plan: 'free' },
      );
      await expect(opened.projects.rotate(id, { graceMs: 0, key })).rejects.toThrow();
      expect(await relay('one')).toBe(1);
    });

    it('tells of changed alerts once they are logged and stored, and not if they could not be', async () => {
      const id = await addChanged();
      await relay('one');
      const found: unknown[] = [];
      const store = async (): Promise<void> => {
        const [entry] = await opened.audit.list(id, 1, undefined, { action: 'alerts-changed' });
        found.push(entry?.detail, await relay('one'));
        if (found.length > 2) throw new Error('the other store is unavailable');
      };
      await opened.projects.changeAlerts(id, { detail: 'at 50%', store });
      expect(found).toEqual(['at 50%', 0]);
      expect(await relay('one')).toBe(1);
      expect(bus.typesOf(id)).toEqual([...CHANGES, 'alerts-changed']);
      await expect(opened.projects.changeAlerts(id, { detail: 'none', store })).rejects.toThrow(
        'unavailable',
      );
      expect(await relay('one')).toBe(0);
    });

    it('is published exactly once by four relays side by side', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 30; n++) ids.push(await addChanged());
      const other = await place.open();
      bus.delayMs = 5;
      const relays = ['a', 'b', 'c', 'd'].map((name, n) => relayOf(name, n % 2 === 0 ? opened : other));
      await Promise.all(relays.map(relayPending));
      expect(bus.events).toHaveLength(150);
      for (const id of ids) expect(bus.typesOf(id)).toEqual(CHANGES);
    });

    it('is not held up by a relay that came too late to publish it', async () => {
      const id = await addChanged();
      const relays = ['a', 'b', 'c'].map((name) => relayOf(name));
      for (let round = 0; round < 30; round++) {
        await Promise.all(relays.map(relayPending));
        await (round % 2 === 0 ? opened.projects.suspend(id) : opened.projects.resume(id));
      }
      await relay('a');
      expect(bus.typesOf(id)).toHaveLength(CHANGES.length + 30);
    });

    it('keeps what could not be published for the next relay', async () => {
      const id = await addChanged();
      bus.failures = 1;
      await expect(relay('one')).rejects.toThrow('the log is unavailable');
      await opened.projects.suspend(id);
      expect(await relay('two')).toBe(6);
      expect(bus.typesOf(id)).toEqual([...CHANGES, 'suspended']);
    });

    it('waits for a relay that has claimed it, and no longer once the claim has ended', async () => {
      const id = await addChanged();
      const claim = { by: 'dead', now: place.clock.now(), until: place.clock.now() + 1_000 };
      const claimed = await opened.outbox.claim(claim, 10);
      expect(claimed.map(({ change }) => change)).toEqual(CHANGES);
      await opened.projects.suspend(id);
      expect(await relay('one')).toBe(0);
      place.clock.time += 1_000;
      const heir = { by: 'heir', now: place.clock.now(), until: place.clock.now() + 1_000 };
      const inherited = await opened.outbox.claim(heir, 10);
      // The first relay was slow, not dead: its late work has no effect.
      const finish = async (): Promise<void> => {
        await opened.outbox.markSent('dead', inherited);
        await opened.outbox.release('dead', inherited);
      };
      await finish();
      expect(await relay('one')).toBe(0);
      await opened.outbox.release('heir', inherited);
      expect(await relay('one')).toBe(6);
      await opened.projects.resume(id);
      await finish();
      expect(await relay('one')).toBe(1);
      expect(bus.typesOf(id)).toEqual([...CHANGES, 'suspended', 'resumed']);
    });

    it('waits no longer for a relay whose clock was a day ahead', async () => {
      const id = await addChanged();
      const ahead = place.clock.now() + 24 * 3_600_000;
      await opened.outbox.claim({ by: 'ahead', now: ahead, until: ahead + 35_000 }, 10);
      expect(await relay('one')).toBe(CHANGES.length);
      expect(bus.typesOf(id)).toEqual(CHANGES);
    });

    it('is published within a second while a relay runs, despite failures', async () => {
      const running = createRelay({ ...relayOf('one'), logger });
      running.start();
      try {
        // A busy machine makes a round slow, a relay that is too slow makes all of them slow.
        let took = Infinity;
        for (let round = 0; round < MAX_ROUNDS && took > PUBLISHED_WITHIN_MS; round++) {
          bus.failures = 1;
          const id = await addChanged();
          const begun = performance.now();
          await until('all is published', () => bus.typesOf(id).length >= CHANGES.length);
          took = performance.now() - begun;
          expect(bus.typesOf(id)).toEqual(CHANGES);
        }
        expect(took).toBeLessThan(PUBLISHED_WITHIN_MS);
      } finally {
        await running.stop();
      }
    });

    it.each(['before relaying', 'before publishing', 'after publishing'] as const)(
      'loses no event to a kill -9 %s',
      async (dieAt) => {
        const folder = mkdtempSync(join(tmpdir(), 'hindsight-journal-'));
        const journal = join(folder, 'journal');
        try {
          await runVictim({ ...place.settings, secret: 'a secret of the child', dieAt, journal });
          const [id = '', ...published] = readFileSync(journal, 'utf8').trimEnd().split('\n');
          // By the machine's clock, as the child saw it, and past its claim.
          place.clock.time = Date.now() + 60_000;
          expect(await relay('heir')).toBe(4);
          expect(bus.typesOf(id)).toEqual(['created', 'plan-changed', 'key-rotated', 'suspended']);
          // The events that the killed relay had published are published again under the same ids.
          expect(published).toEqual(dieAt === 'after publishing' ? bus.events.map((event) => event.id) : []);
          expect((await opened.projects.findById(id))?.status).toBe('suspended');
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
    );
  });
}

/** Resolves once the child has killed itself at the requested moment. */
function runVictim(order: ChildOrder): Promise<void> {
  return new Promise((resolve, reject) => {
    const args = [CHILD, JSON.stringify(order)];
    execFile(process.execPath, args, { timeout: 600_000 }, (error, _stdout, stderr) => {
      if (error?.signal === 'SIGKILL' && !error.killed) resolve();
      else
        reject(new Error(`the child did not die by itself: ${error?.message ?? 'it ended well'}\n${stderr}`));
    });
  });
}
