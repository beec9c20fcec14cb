/** On a MongoDB that fails, each change still has one event, and each event is published. */
import { HOUR_MS } from '@hindsight/kernel/durations.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { troubleMongodb, untilDone } from '@hindsight/stores/test/support/troubled-mongodb.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { createProject } from '../../src/create-project.ts';
import type { OpenProjects } from '../../src/open.ts';
import { relayPending, type ProjectChanged } from '../../src/outbox-relay.ts';
import { DuplicateKey, DuplicateProject } from '../../src/ports.ts';
import { generateKey } from '../../src/key.ts';
import { Installation } from '../installation.contract.ts';

await describeOnServers(
  'projects in a failing MongoDB',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const database = `projects-faults-${randomUUID()}`;
    const mongodbUrl = withDatabase(mongodb.address, database);
    const client = new MongoClient(mongodbUrl);
    const ends: (() => Promise<unknown>)[] = [() => client.close()];
    afterAll(async () => {
      for (const end of ends) await end();
    });

    it('lose no change and no event, and never have two of one key', async () => {
      const troubled = await troubleMongodb(mongodb.address);
      const place = new Installation({ dataDir: '', mongodbUrl: troubled.url(database) });
      const sound = new Installation({ dataDir: '', mongodbUrl });
      ends.unshift(
        () => place.close(),
        () => sound.close(),
        () => troubled.close(),
      );
      const processes = [await place.open(), await place.open()];
      const direct = await sound.open();
      const published: ProjectChanged[] = [];
      const bus = {
        publish: async (_topic: string, events: readonly ProjectChanged[]) => void published.push(...events),
      };
      const relay = ({ outbox }: OpenProjects, installation: Installation): Promise<number> =>
        relayPending({ outbox, bus, clock: installation.clock, relayId: randomUUID() });
      const keys = new Map<string, string>();

      async function change(opened: OpenProjects): Promise<void> {
        const [id, key] = [randomUUID(), generateKey()];
        const { projects } = opened;
        // An earlier attempt may have been executed although it reported a failure; this one is then refused.
        const request = { name: 'Ada', plan: 'free', id } as const;
        await untilDone(() =>
          createProject({ projects, ...place.platform }, request).catch((error: unknown) => {
            if (!(error instanceof DuplicateProject)) throw error;
          }),
        );
        await untilDone(() =>
          projects.rotate(id, { graceMs: HOUR_MS, key }).catch((error: unknown) => {
            if (!(error instanceof DuplicateKey)) throw error;
          }),
        );
        keys.set(id, key);
        await untilDone(() => projects.setPlan(id, { plan: 'growth' }));
        await untilDone(() => projects.suspend(id));
      }

      await troubled.trouble(async () => {
        await Promise.all(
          processes.map(async (opened) => {
            await change(opened);
            // A relay that fails half way leaves its claim to the next one, which comes after the claim's end.
            await relay(opened, place).catch((error: unknown) => {
              if (!(error instanceof StoreUnavailable)) throw error;
            });
            place.clock.time += HOUR_MS;
          }),
        );
      });
      sound.clock.time = place.clock.time + HOUR_MS;
      await relay(direct, sound);
      const stored = await client
        .db()
        .collection<{ _id: string; version: number; outbox: unknown[] }>('projects')
        .find()
        .toArray();
      expect(stored.map(({ _id }) => _id).sort()).toEqual([...keys.keys()].sort());
      for (const { _id: id, version, outbox } of stored) {
        expect(outbox).toEqual([]);
        const of = published.filter(({ data }) => data.projectId === id);
        // A repeated event has the same id; each version of the record has another.
        const changes = [...new Map(of.map((event) => [event.id, event.type])).values()];
        expect(changes).toHaveLength(version);
        expect([...new Set(changes)]).toEqual(['created', 'key-rotated', 'plan-changed', 'suspended']);
        expect(await direct.projects.findByKey(keys.get(id)!)).toMatchObject({
          id,
          plan: 'growth',
          status: 'suspended',
        });
      }
    });
  },
);
