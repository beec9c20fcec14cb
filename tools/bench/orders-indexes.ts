/**
 * The cost of the indexes of lists when an order is inserted: the same inserts with and without them, in alternating rounds. The
 * embedded database is measured by processor time, so that the disk and other processes matter less; MongoDB only if `MONGODB_URL`
 * names a server with an empty database for it.
 */
import { MongoClient } from 'mongodb';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeOrder } from '../../tests/support/orders/signed-orders.ts';
import { median } from '../../tests/support/steady-load.ts';
import { startService } from './service-process.ts';

const ROUNDS = 5;
/** Orders that are there at first, and those that each round inserts. */
const [BEFORE, INSERTED] = [20_000, 4_000];
/** Orders in one commit: as many as share one at some hundred orders a second. */
const AT_ONCE = 10;
const SWAPPERS = 1_000;

type Insert = (first: number, count: number) => Promise<void>;

export async function run(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-bench-'));
  try {
    await makeStore({ DATA_DIR: dataDir });
    const path = join(dataDir, 'orders.db');
    const databases = ['with', 'without'].map((name) => {
      copyFileSync(path, join(dataDir, name));
      return new DatabaseSync(join(dataDir, name));
    }) as [DatabaseSync, DatabaseSync];
    dropLists(databases[1]);
    await compare('embedded', databases.map(intoSqlite) as [Insert, Insert], () => {
      const { user, system } = process.cpuUsage();
      return user + system;
    });
    databases.forEach((database) => database.close());
    const { MONGODB_URL: url } = process.env;
    if (url === undefined) console.log('MongoDB: not measured, as MONGODB_URL is not set');
    else await compareInMongodb(url, dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Lets the service make its store, with one order in it. */
async function makeStore(settings: Readonly<Record<string, string>>): Promise<void> {
  const service = await startService('orders', { ETH_RPC_URL: 'http://127.0.0.1:9', ...settings });
  const headers = { 'content-type': 'application/json', 'x-hindsight-project': 'bench' };
  const url = `${service.url}/v1/eth-mainnet/orders/dex-webhook`;
  const { status } = await fetch(url, { method: 'POST', headers, body: makeOrder(1n).body });
  await service.stop();
  if (status !== 201) throw new Error(`the order was answered ${status}`);
}

/** @param clock microseconds */
async function compare(
  store: string,
  inserts: readonly [Insert, Insert],
  clock: () => number,
): Promise<void> {
  const times: [number[], number[]] = [[], []];
  for (const insert of inserts) await insert(0, BEFORE);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, insert] of inserts.entries()) {
      const begun = clock();
      await insert(BEFORE + round * INSERTED, INSERTED);
      times[at]!.push((clock() - begun) / INSERTED);
    }
  const [indexed, bare] = times.map(median) as [number, number];
  console.log(
    `${store}: an insert takes ${indexed.toFixed(0)} µs with the indexes of lists, ${bare.toFixed(0)} µs without`,
  );
}

function dropLists(database: DatabaseSync): void {
  const names = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'orders_list%'`)
    .all();
  if (names.length === 0) throw new Error('there are no indexes of lists');
  for (const { name } of names) database.exec(`DROP INDEX ${String(name)}`);
}

function intoSqlite(database: DatabaseSync): Insert {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const [row] = database.prepare('SELECT record FROM orders').all();
  const record = String(row!.record);
  const insert = database.prepare(
    'INSERT INTO orders (id, received_at, deadline, record) VALUES (?, ?, ?, ?)',
  );
  return async (first, count) => {
    for (let at = first; at < first + count; at += AT_ONCE) {
      database.exec('BEGIN');
      for (let one = at; one < at + AT_ONCE; one++) {
        const { id, receivedAt, deadline } = placeOf(one);
        insert.run(id, receivedAt, deadline, JSON.stringify(ofNumber(JSON.parse(record) as Recorded, one)));
      }
      database.exec('COMMIT');
    }
  };
}

async function compareInMongodb(url: string, dataDir: string): Promise<void> {
  await makeStore({ DATA_DIR: dataDir, MONGODB_URL: url });
  const client = await MongoClient.connect(url);
  try {
    const orders = client.db().collection<StoredDocument>('orders');
    const document = await orders.findOne();
    if (document === null) throw new Error('the order is not there');
    const into = (indexed: boolean): Insert => {
      const name = indexed ? 'orders' : 'orders_without_lists';
      const collection = client.db().collection<StoredDocument>(name);
      return async (first, count) => {
        for (let at = first; at < first + count; at += AT_ONCE)
          await collection.insertMany(
            Array.from({ length: AT_ONCE }, (_, i) => {
              const { id, ...place } = placeOf(at + i);
              return { ...document, ...place, _id: id, record: ofNumber(document.record, at + i) };
            }),
            { writeConcern: { w: 'majority', journal: true } },
          );
      };
    };
    const others = (await orders.indexes()).filter(({ name = '' }) => !/^(list|_id_)/.test(name));
    await client
      .db()
      .collection('orders_without_lists')
      .createIndexes(
        others.map(({ key, name, sparse }) => ({ key, name, ...(sparse && { sparse }) }) as never),
      );
    await compare('MongoDB', [into(true), into(false)], () => performance.now() * 1_000);
  } finally {
    await client.close();
  }
}

interface Recorded {
  readonly order: Readonly<Record<string, unknown>>;
}

interface StoredDocument {
  readonly _id: string;
  readonly record: Recorded;
}

function placeOf(at: number) {
  const receivedAt = Date.UTC(2026, 0, 1) + at * 5;
  return {
    id: `1:0x${at.toString(16).padStart(64, '0')}`,
    receivedAt,
    deadline: Math.floor(receivedAt / 1_000) + 86_400,
  };
}

function ofNumber(record: Recorded, at: number): Recorded {
  const swapper = `0x${(at % SWAPPERS).toString(16).padStart(40, '0')}`;
  return { ...record, order: { ...record.order, swapper } };
}
