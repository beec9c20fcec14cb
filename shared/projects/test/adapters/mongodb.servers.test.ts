import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { type MongodbServer, startMongodb } from '@hindsight/tools/servers/mongodb.ts';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { startToxiproxy, type ToxiproxyServer } from '@hindsight/tools/servers/toxiproxy.ts';
import { MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { untilDone } from '@hindsight/stores/test/support/troubled-mongodb.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { describeOwners } from '../audit.contract.ts';
import { createProject } from '../../src/create-project.ts';
import type { OpenProjects } from '../../src/open.ts';
import { Installation } from '../installation.contract.ts';
import { describeKeys } from '../keys.contract.ts';
import { describeOutbox } from '../outbox.contract.ts';
import { describeProjects } from '../projects.contract.ts';
import { describeReseal } from '../reseal.contract.ts';
import { describeSeveralKeys } from '../several-keys.contract.ts';
import { describeStoredBefore } from '../stored-before.contract.ts';

/** An operation lasts at most 4 s; a busy machine is given more. Without a limit it would wait for the server for ever. */
const ANSWER_WITHIN_MS = 60_000;

/** Waits while the other cases run. */
let refusal: ReturnType<typeof openNowhere>;
beforeAll(() => {
  refusal = openNowhere();
});

await describeOnServers('projects in MongoDB', { env: process.env, shared: ['mongodb'] }, ({ mongodb }) => {
  const databases: string[] = [];
  const places = {
    fresh: async () => {
      const database = `projects-${randomUUID()}`;
      databases.push(database);
      return { dataDir: '/nowhere', mongodbUrl: withDatabase(mongodb.address, database) };
    },
  };
  const onServer = async <T>(work: (client: MongoClient) => Promise<T>): Promise<T> => {
    const client = new MongoClient(mongodb.address, { serverSelectionTimeoutMS: 30_000 });
    try {
      return await work(await client.connect());
    } finally {
      await client.close();
    }
  };
  afterAll(() => onServer((client) => Promise.all(databases.map((name) => client.db(name).dropDatabase()))));

  describeProjects('MongoDB', places);
  describeKeys('MongoDB', places);
  describeOutbox('MongoDB', places);
  describeOwners('MongoDB', places);
  describeReseal('MongoDB', places);
  describeSeveralKeys('MongoDB', places);
  describeStoredBefore('MongoDB', places, async (_, { id, name, createdAt, secrets }) => {
    const written = {
      _id: id as never,
      name,
      ownerId: null,
      plan: 'free',
      monthlyLimit: null,
      rate: null,
      demo: false,
      status: 'active',
      createdAt,
      keys: secrets,
      version: 1,
      outbox: [],
      relay: { by: '', until: 0 },
    };
    await onServer((client) => client.db(databases.at(-1)).collection('projects').insertOne(written));
  });

  // The native test server has no `explain` and no real indexes.
  const onlyOnMongodb = mongodb.source === 'native' ? it.skip : it;
  onlyOnMongodb.each([
    { of: 'a key', filter: { 'keys.index': { $in: ['a', 'b'] } }, sort: {}, index: 'key' },
    { of: 'waiting events', filter: { 'outbox.at': { $gt: 0 } }, sort: {}, index: 'outbox' },
    { of: 'the list', filter: {}, sort: { createdAt: 1, _id: 1 } as const, index: 'creation' },
    {
      of: 'an owner’s list',
      filter: { ownerId: 'ada' },
      sort: { createdAt: 1, _id: 1 } as const,
      index: 'owner',
    },
    {
      of: 'expired keys',
      filter: { keys: { $elemMatch: { expiresAt: { $gt: 0, $lte: 9 } } } },
      sort: {},
      index: 'key-end',
    },
  ])('looks for $of by an index (needs MongoDB itself)', async ({ filter, sort, index }) => {
    const place = new Installation(await places.fresh());
    await place.open();
    await place.close();
    const plan = await onServer((client) =>
      client.db(databases.at(-1)).collection('projects').find(filter).sort(sort).explain('queryPlanner'),
    );
    const words = JSON.stringify(plan.queryPlanner.winningPlan);
    expect(words).toContain(`"indexName":"${index}"`);
    expect(words).not.toMatch(/COLLSCAN|"SORT"/);
  });

  it('stores no key in the clear', async () => {
    const place = new Installation(await places.fresh());
    const { projects } = await place.open();
    const { key } = await createProject({ projects, ...place.platform }, { name: 'Ada', plan: 'free' });
    await place.close();
    const stored = await onServer((client) =>
      client.db(databases.at(-1)).collection('projects').find().toArray(),
    );
    expect(JSON.stringify(stored)).toContain('Ada');
    expect(JSON.stringify(stored)).not.toContain(key);
  });
});

const needs = { env: process.env, own: ['mongodb', 'toxiproxy'] } as const;

await describeOnServers('projects in a MongoDB that is cut off', needs, () => {
  let server: MongodbServer;
  let toxiproxy: ToxiproxyServer;
  let listen: string;
  let near: Installation;
  let far: Installation;
  let cutOff: OpenProjects;
  let direct: OpenProjects;

  beforeAll(async () => {
    [server, toxiproxy] = await Promise.all([startMongodb(), startToxiproxy()]);
    listen = `127.0.0.1:${await freePort()}`;
    const upstream = new URL(server.url).host;
    await toxiproxy.client.createProxy({ name: 'mongodb', listen, upstream });
    near = new Installation({ dataDir: '/nowhere', mongodbUrl: withDatabase(server.url, 'cut') });
    far = new Installation({ dataDir: '/nowhere', mongodbUrl: withDatabase(`mongodb://${listen}`, 'cut') });
    [direct, cutOff] = await Promise.all([near.open(), far.open()]);
  });
  afterAll(async () => {
    await Promise.all([near.close(), far.close()]);
    await Promise.all([server.stop(), toxiproxy.stop()]);
  });

  /** The driver's pool may still have connections that the former case has cut off. */
  const add = (): Promise<{ project: { id: string } }> =>
    untilDone(() =>
      createProject({ projects: cutOff.projects, ...far.platform }, { name: 'Ada', plan: 'free' }),
    );

  /** The error of a change made while a stream of the connection leads nowhere. */
  const whileBlackHole = async (stream: 'upstream' | 'downstream', work: () => Promise<unknown>) => {
    const proxy = await toxiproxy.client.get('mongodb');
    const attributes = { timeout: 0 };
    const toxic = await proxy.addToxic({
      name: stream,
      type: 'timeout',
      stream,
      toxicity: 1,
      attributes,
    });
    const begun = performance.now();
    try {
      const error: unknown = await work().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      return { error, milliseconds: performance.now() - begun };
    } finally {
      await toxic.remove();
    }
  };

  /** The pool has to drop its dead connections first. */
  const untilBack = (): Promise<void> => untilItWorks('MongoDB is found again', () => cutOff.check.check());

  it('fails in time when a write does not get through, and the write has not happened', async () => {
    const { project } = await add();
    const { error, milliseconds } = await whileBlackHole('upstream', () =>
      cutOff.projects.suspend(project.id),
    );
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(milliseconds).toBeLessThan(ANSWER_WITHIN_MS);
    expect((await direct.projects.findById(project.id))?.status).toBe('active');
    await untilBack();
    expect((await untilDone(() => cutOff.projects.suspend(project.id))).status).toBe('suspended');
  });

  it('fails in time when the answer to a write is lost, and the outcome can be read', async () => {
    const id = randomUUID();
    const clock = far.clock.now();
    const { error, milliseconds } = await whileBlackHole('downstream', () =>
      createProject(
        { projects: cutOff.projects, clock: { now: () => clock }, ids: { next: () => id } },
        { name: 'Bob', plan: 'free' },
      ),
    );
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(milliseconds).toBeLessThan(ANSWER_WITHIN_MS);
    // The write is there with its event, or neither is; on this server it got through.
    await until('a slow server has executed it', async () => (await direct.projects.findById(id)) !== null);
    expect((await direct.projects.findById(id))?.name).toBe('Bob');
    const claim = { by: 'test', now: clock, until: clock + 1 };
    const waiting = await direct.outbox.claim(claim, 100);
    expect(waiting.filter(({ projectId }) => projectId === id)).toHaveLength(1);
    await untilBack();
    expect((await untilDone(() => cutOff.projects.findById(id)))?.name).toBe('Bob');
  });

  it('fails in time when nothing listens at the address, and recovers when a server does', async () => {
    const { project } = await add();
    const proxy = await toxiproxy.client.get('mongodb');
    await proxy.update({ listen, upstream: new URL(server.url).host, enabled: false });
    const begun = performance.now();
    await expect(cutOff.projects.suspend(project.id)).rejects.toThrow(StoreUnavailable);
    await expect(cutOff.check.check()).rejects.toThrow(StoreUnavailable);
    expect(performance.now() - begun).toBeLessThan(ANSWER_WITHIN_MS + 1_000);
    await proxy.update({ listen, upstream: new URL(server.url).host, enabled: true });
    await untilBack();
    expect((await untilDone(() => cutOff.projects.suspend(project.id))).status).toBe('suspended');
  });

  it('fails in time when the server hangs', async () => {
    const { project } = await add();
    await server.pause();
    const begun = performance.now();
    try {
      await expect(cutOff.projects.suspend(project.id)).rejects.toThrow(StoreUnavailable);
      expect(performance.now() - begun).toBeLessThan(ANSWER_WITHIN_MS);
    } finally {
      server.resume();
    }
    await untilBack();
    const found = await untilDone(() => cutOff.projects.findById(project.id));
    expect(['active', 'suspended']).toContain(found?.status);
  });
});

describe('a MongoDB that is not there', () => {
  it('is reported within the limit, without the password in its address', async () => {
    const { error, milliseconds } = await refusal;
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(milliseconds).toBeLessThan(ANSWER_WITHIN_MS);
    expect(String(error)).not.toContain('hidden-word');
  });
});

/** Opens one where nothing listens. */
async function openNowhere(): Promise<{ error: unknown; milliseconds: number }> {
  const mongodbUrl = `mongodb://user:hidden-word@127.0.0.1:${await freePort()}/x`;
  const place = new Installation({ dataDir: '/nowhere', mongodbUrl });
  const begun = performance.now();
  const error: unknown = await place.open().catch((reason: unknown) => reason);
  const milliseconds = performance.now() - begun;
  await place.close();
  return { error, milliseconds };
}
