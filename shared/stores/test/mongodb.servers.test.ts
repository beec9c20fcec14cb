import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withDatabase, withUsualWaits } from '@hindsight/tools/servers/mongodb-database.ts';
import { startMongodbProxy } from '@hindsight/tools/servers/mongodb-proxy.ts';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { type Document, UUID } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { openMongodb, type MongoStore } from '../src/mongodb.ts';
import type { CollectionIndexes } from '../src/mongodb-indexes.ts';
import { isDuplicate } from '../src/mongodb-errors.ts';
import { StoreUnavailable } from '../src/unavailable.ts';

const INDEXES: readonly CollectionIndexes[] = [
  { collection: 'things', indexes: [{ name: 'tag', key: { 'tags.name': 1 }, unique: true }] },
  { collection: 'others', indexes: [{ name: 'age', key: { age: 1, _id: 1 } }] },
];

interface Thing {
  readonly _id: string;
  readonly tags: readonly { readonly name: string }[];
}

await describeOnServers('the MongoDB opener', { env: process.env, shared: ['mongodb'] }, ({ mongodb }) => {
  const url = withUsualWaits(withDatabase(mongodb.address, `opener-${randomUUID()}`));
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  let stores: MongoStore[];
  /** Outcome of opening without a server. It waits in parallel with the other cases. */
  let refusal: Promise<unknown>;

  /** A proxy to the server that delays answers by `holdMs`. */
  const openWay = async (port: number, holdMs: (request: Buffer) => number): Promise<void> => {
    const { hostname, port: onwardsPort } = new URL(url);
    const way = createServer((socket) => {
      const onwards = connect(Number(onwardsPort), hostname);
      socket.on('data', (request: Buffer) => {
        const milliseconds = holdMs(request);
        if (milliseconds === 0) return;
        onwards.pause();
        setTimeout(() => onwards.resume(), milliseconds).unref();
      });
      pipeline(socket, onwards, socket, () => undefined);
    });
    lifecycle.onStop('the way to MongoDB', () => void way.close());
    await once(way.listen(port, '127.0.0.1'), 'listening');
  };

  /** A lifecycle that ends with the suite, and the lines of its log. */
  const openOwn = () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const own = createLifecycle(createLogger({ name: 'test', level: 'info', destination }));
    lifecycle.onStop('another opener', () => own.shutdown('end of test'));
    return { own, lines };
  };

  /** A busy server may not answer within a second. */
  const untilReady = ({ check }: MongoStore): Promise<void> =>
    untilItWorks('the server answers in time', async () => expect(await check.check()).toBe('answers'));

  beforeAll(async () => {
    const nowhere = new URL(url);
    nowhere.port = String(await freePort());
    refusal = openMongodb({ url: nowhere.href }, INDEXES, lifecycle).catch((error: unknown) => error);
    // Eight openers at once, as eight processes would be.
    stores = await Promise.all(Array.from({ length: 8 }, () => openMongodb({ url }, INDEXES, lifecycle)));
  });
  afterAll(async () => {
    await stores[0]?.db.dropDatabase();
    await lifecycle.shutdown('end of test');
  });

  it('creates each index once when several processes start at once', async () => {
    const names = async (collection: string): Promise<unknown[]> =>
      (await stores[0]!.db.collection(collection).indexes()).map(({ name }) => name as unknown).sort();
    expect(await names('things')).toEqual(['_id_', 'tag']);
    expect(await names('others')).toEqual(['_id_', 'age']);
  });

  it('opens an existing database, and measures its commands', async () => {
    const telemetry = createTelemetry('test');
    const again = await openMongodb({ url, telemetry }, INDEXES, lifecycle);
    await untilReady(again);
    expect(again.check.name).toBe('MongoDB');
    await again.run((db) => db.collection('things').findOne({ _id: 'none' as never }));
    await again.run((db) => db.command({ thereIsNoSuchCommand: 1 })).catch(() => undefined);
    expect(await telemetry.metricsText()).toMatch(
      /_count\{.*db_operation_name="thereIsNoSuchCommand".*error_type="MongoServerError"/,
    );
    const measured = (await telemetry.metricsText()).matchAll(
      /^db_client_operation_duration_count\{db_system_name="mongodb",.*db_operation_name="(\w+)"/gm,
    );
    expect([...measured].map(([, command]) => command)).toEqual(expect.arrayContaining(['ping', 'find']));
    await telemetry.stop();
  });

  it('heeds driver options and the encoded database of the URL', async () => {
    const own = new URL(url.replace('/opener-', '/opener%2D'));
    const written = {
      sockettimeoutms: 5_001,
      connectTimeoutMS: 5_002,
      serverSelectionTimeoutMS: 5_003,
      MAXPOOLSIZE: 7,
    };
    for (const [name, value] of Object.entries(written)) own.searchParams.set(name, String(value));
    own.searchParams.set('retryWrites', 'false');
    const { db } = await openMongodb({ url: own.href }, INDEXES, lifecycle);
    expect(db.databaseName).toBe(stores[0]!.db.databaseName);
    expect(db.client.options).toMatchObject({
      socketTimeoutMS: 5_001,
      connectTimeoutMS: 5_002,
      serverSelectionTimeoutMS: 5_003,
      maxPoolSize: 7,
      retryWrites: false,
      // Not written.
      retryReads: true,
    });
  });

  it('gives an operation twice the time that the URL has for an answer', async () => {
    const slow = new URL(url);
    slow.port = String(await freePort());
    slow.searchParams.set('socketTimeoutMS', '60000');
    // Longer than an operation has otherwise.
    await openWay(Number(slow.port), (request) => (request.includes('distinct') ? 4_500 : 0));
    const opened = await openMongodb({ url: slow.href }, INDEXES, lifecycle);
    expect(await opened.run((db) => db.collection('things').distinct('nothing'))).toEqual([]);
  });

  it('waits as long for another connection as for an answer', async () => {
    const slow = new URL(url);
    slow.port = String(await freePort());
    for (const wait of ['connectTimeoutMS', 'socketTimeoutMS']) slow.searchParams.set(wait, '60000');
    let isOpen = false;
    // Longer than a connection is waited for otherwise.
    const greets = (request: Buffer): boolean => /ismaster|hello/i.test(request.toString('latin1'));
    await openWay(Number(slow.port), (request) => (isOpen && greets(request) ? 3_000 : 0));
    const opened = await openMongodb({ url: slow.href }, INDEXES, lifecycle);
    isOpen = true;
    const find = () => opened.run((db) => db.collection('things').findOne({ _id: 'none' as never }));
    // More than there are connections by then.
    expect(new Set(await Promise.all(Array.from({ length: 10 }, find)))).toEqual(new Set([null]));
  });

  it('keeps options that its promises need, whatever the URL says', async () => {
    const weak = new URL(url);
    const written = {
      w: '0',
      journal: 'false',
      wtimeoutMS: '1',
      readConcernLevel: 'local',
      readPreference: 'secondary',
    };
    for (const [name, value] of Object.entries(written)) weak.searchParams.set(name, value);
    weak.searchParams.set('waitQueueTimeoutMS', '60000');
    const { db } = await openMongodb({ url: weak.href }, INDEXES, lifecycle);
    expect(db.client.options.waitQueueTimeoutMS).toBe(2_000);
    const things = db.collection('things');
    expect(things.writeConcern).toMatchObject({ w: 'majority', journal: true, wtimeoutMS: 2_000 });
    expect(things.readConcern).toMatchObject({ level: 'majority' });
    expect(things.readPreference).toMatchObject({ mode: 'primary' });
  });

  it('refuses the second of two documents with one tag, also in an update', async () => {
    const insert = (tag: string): Promise<unknown> =>
      stores[1]!.run((db) =>
        db
          .collection<Thing>('things')
          .insertOne({ _id: randomUUID(), tags: [{ name: 'x' + tag }, { name: tag }] }),
      );
    await insert('one');
    await insert('two');
    const refused: unknown = await insert('one').catch((error: unknown) => error);
    expect(isDuplicate(refused)).toBe(true);
    const moved: unknown = await stores[2]!
      .run((db) =>
        db
          .collection<Thing>('things')
          .updateOne({ 'tags.name': 'two' }, { $set: { tags: [{ name: 'new' }, { name: 'one' }] } }),
      )
      .catch((error: unknown) => error);
    expect(isDuplicate(moved)).toBe(true);
  });

  it('waits at the start for a server that comes up later, and says so once', async () => {
    // A machine that stands still for longer than a start waits has to begin again.
    await untilItWorks('it has waited', async () => {
      const later = new URL(url);
      later.port = String(await freePort());
      const { own, lines } = openOwn();
      const opening = openMongodb({ url: later.href }, INDEXES, own);
      opening.catch(() => undefined);
      // Longer than one attempt.
      await sleep(3_000);
      await openWay(Number(later.port), () => 0);
      await untilReady(await opening);
      expect(lines).toEqual([expect.stringContaining('MongoDB is unavailable; the start waits for it')]);
    });
  });

  it('gives a start up, also one whose operations may take long', async () => {
    const nowhere = new URL(url);
    nowhere.port = String(await freePort());
    nowhere.searchParams.set('serverSelectionTimeoutMS', '600000');
    nowhere.searchParams.set('socketTimeoutMS', '5000');
    await expect(openMongodb({ url: nowhere.href }, INDEXES, lifecycle)).rejects.toThrow(StoreUnavailable);
  });

  it('works with a wait for an answer that has no end', async () => {
    const endless = new URL(url);
    endless.searchParams.set('socketTimeoutMS', '2147483647');
    const opened = await openMongodb({ url: endless.href }, INDEXES, lifecycle);
    expect(await opened.run((db) => db.collection('things').distinct('nothing'))).toEqual([]);
  });

  it('waits at the start for an index that takes long to build, and logs it', async () => {
    const slow = new URL(withDatabase(url, `opener-${randomUUID()}`));
    slow.port = String(await freePort());
    // The limit of other answers, from the URL, is not that of a build.
    slow.searchParams.set('socketTimeoutMS', '5000');
    // Longer than a start waits for an answer of the server.
    await openWay(Number(slow.port), (request) => (request.includes('createIndexes') ? 13_000 : 0));
    const { own, lines } = openOwn();
    const opened = await openMongodb({ url: slow.href }, INDEXES.slice(0, 1), own);
    const names = (await opened.db.collection('things').indexes()).map(({ name }) => name as unknown);
    expect(names.sort()).toEqual(['_id_', 'tag']);
    expect(lines.join()).toContain('an index is being built; the start waits for it');
    await opened.db.dropDatabase();
  });

  it('opens a database that has its indexes without asking for any, whose answer might be lost', async () => {
    const lossy = new URL(url);
    lossy.port = String(await freePort());
    await openWay(Number(lossy.port), (request) => (request.includes('createIndexes') ? 3_600_000 : 0));
    const opened = await openMongodb({ url: lossy.href }, INDEXES, lifecycle);
    await untilReady(opened);
  });

  it.each<[how: string, listed: (index: Document) => Document]>([
    ['is still being built', (index) => ({ spec: index, buildUUID: new UUID() })],
    ['has its fields in another order', (index) => ({ ...index, key: { _id: 1, age: 1 } })],
    ['has another option', (index) => ({ ...index, sparse: true })],
    ['is missing', (index) => ({ ...index, name: 'another' })],
  ])('leaves it to the server what becomes of an index that %s', async (_, listed) => {
    const proxy = await startMongodbProxy(url);
    lifecycle.onStop('a proxy to MongoDB', () => proxy.close());
    const built: unknown[] = [];
    proxy.intercept = async ({ name, body }, forward) => {
      const answer = await forward();
      if (name === 'createIndexes') built.push(body.createIndexes);
      if (name !== 'listIndexes') return answer;
      const { firstBatch, ...cursor } = answer.cursor as { firstBatch: Document[] };
      const changed = firstBatch.map((index) => (index.name === 'age' ? listed(index) : index));
      return { ...answer, cursor: { ...cursor, firstBatch: changed } };
    };
    await openMongodb({ url: proxy.url }, INDEXES, lifecycle);
    expect(built).toEqual(['others']);
  });

  it('asks again what indexes there are where the answer was lost, before it has any built', async () => {
    const proxy = await startMongodbProxy(url);
    lifecycle.onStop('a proxy to MongoDB', () => proxy.close());
    const asked: string[] = [];
    proxy.intercept = async ({ name }, forward) => {
      if (name === 'listIndexes' || name === 'createIndexes') asked.push(name);
      return name === 'listIndexes' && asked.length <= INDEXES.length ? 'cut' : forward();
    };
    await openMongodb({ url: proxy.url }, INDEXES, lifecycle);
    expect(new Set(asked)).toEqual(new Set(['listIndexes']));
  });

  it.each<[what: string, code: number, asks: number]>([
    ['waits where its server cannot build an index yet', 189, 2],
    ['does not ask again for an index that another one is in the way of', 86, 1],
  ])('%s', async (_, code, asks) => {
    const proxy = await startMongodbProxy(withDatabase(mongodb.address, `opener-${randomUUID()}`));
    lifecycle.onStop('a proxy to MongoDB', () => proxy.close());
    let asked = 0;
    proxy.intercept = async ({ name }, forward) => {
      if (name !== 'createIndexes' || ++asked > 1) return forward();
      return { ok: 0, code, codeName: 'Refused', errmsg: 'refused' };
    };
    const opened = await openMongodb({ url: proxy.url }, INDEXES.slice(0, 1), lifecycle).catch(
      (error: unknown) => error,
    );
    expect([asked, opened instanceof Error]).toEqual([asks, asks === 1]);
    if (!(opened instanceof Error)) await (opened as MongoStore).db.dropDatabase();
  });

  it('does not wait for ever', async () => {
    expect(await refusal).toBeInstanceOf(StoreUnavailable);
  });

  it('refuses an index of the same name with another definition', async () => {
    const other = [{ collection: 'things', indexes: [{ name: 'tag', key: { other: 1 as const } }] }];
    await expect(openMongodb({ url }, other, lifecycle)).rejects.toThrow('the indexes of "things"');
  });

  it('passes a refusal on unchanged', async () => {
    const wrong = stores[0]!.run((db) => db.command({ thereIsNoSuchCommand: 1 }));
    await expect(wrong).rejects.toMatchObject({ name: 'MongoServerError' });
  });
});
