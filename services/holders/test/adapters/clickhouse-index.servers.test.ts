import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { CheckpointConflict } from '@hindsight/indexing/position.ts';
import { STATUS } from '@hindsight/indexing/test/support/status.ts';
import { startChdb, type ChdbServer } from '@hindsight/tools/servers/chdb.ts';
import { describeUnless, lackOf } from '@hindsight/tools/servers/suite.ts';
import { connectClickhouse } from '../../src/adapters/clickhouse-client.ts';
import { createClickhouseIndex } from '../../src/adapters/clickhouse-index.ts';
import { clickhouseSchema, clickhouseTables } from '../../src/adapters/clickhouse-schema.ts';
import { checkClickhouseVersion } from '../../src/adapters/clickhouse-version.ts';
import { partOf } from '../../src/domain/track-parts.ts';
import { ALL_TOKENS } from '../../src/domain/tracks.ts';
import type { HolderIndex } from '../../src/ports.ts';
import { createClickhouseTrackBook, storedNetworks } from '../../src/adapters/clickhouse-track-book.ts';
import { describeTrackBook } from './track-book.contract.ts';
import { describeHolderIndex, type OpenIndex } from './index.contract.ts';

const { CLICKHOUSE_URL } = process.env;
const lack = CLICKHOUSE_URL === undefined ? await lackOf('chdb', process.env) : { absent: [], faults: [] };
// A machine that must have servers need not have this one.
const absent = [...lack.absent, ...lack.faults];

const TRACK = `0x${'01'.repeat(20)}`;
let server: Promise<ChdbServer> | undefined;
const clients: ClickHouseClient[] = [];
let stores = 0;

async function connect(): Promise<ClickHouseClient> {
  const url = CLICKHOUSE_URL ?? (await (server ??= startChdb())).url;
  const client = connectClickhouse(url);
  clients.push(client);
  return client;
}

/** The tables of a store of its own. */
const tablesOf = (store: number) => clickhouseTables(`test-${process.pid}-${store}`);

async function open(): Promise<OpenIndex> {
  const client = await connect();
  const tables = tablesOf((stores += 1));
  const openAgain = async (): Promise<HolderIndex> => {
    for (const query of clickhouseSchema(tables)) await client.command({ query });
    await checkClickhouseVersion(client, tables);
    return createClickhouseIndex(await connect(), tables);
  };
  return {
    index: await openAgain(),
    reopen: openAgain,
    async close() {
      for (const table of Object.values(tables)) await client.command({ query: `DROP TABLE ${table}` });
    },
    async setVersion(version) {
      await client.command({ query: `TRUNCATE TABLE ${tables.versions}` });
      if (version !== null)
        await client.command({ query: `INSERT INTO ${tables.versions} VALUES (${version})` });
    },
    async exports() {
      const query = `SELECT uniqExact(export) FROM ${tables.exports}`;
      const [row] = await (await client.query({ query, format: 'JSONCompactEachRow' })).json<[string]>();
      return Number(row![0]);
    },
  };
}

afterAll(async () => {
  for (const client of clients) await client.close();
  await (await server)?.stop();
});

describeUnless('The index of holders in ClickHouse', { absent, faults: [] }, undefined, () => {
  describeHolderIndex(open, 10);

  describe('and its book of tracks', () => {
    describeTrackBook(async () => {
      const store = await open();
      const tables = tablesOf(stores);
      const bookOn = async () => createClickhouseTrackBook(await connect(), tables);
      return { book: await bookOn(), another: bookOn, close: () => store.close() };
    });
  });

  it('names its network among those that have a book', async () => {
    const store = await open();
    expect(await storedNetworks(await connect())).toContain(`test-${process.pid}-${stores}`);
    await store.close();
  });

  const RANGE = {
    from: 1,
    to: 2,
    hash: `0x${'00'.repeat(32)}`,
    points: [{ token: TRACK, holder: `0x${'02'.repeat(20)}`, id: null, block: 1 }],
    approvals: [],
  };
  async function rowsOf(client: ClickHouseClient, table: string): Promise<number> {
    const query = `SELECT count() FROM ${table}`;
    const [row] = await (await client.query({ query, format: 'JSONCompactEachRow' })).json<[string]>();
    return Number(row![0]);
  }

  it('has a range once that an instance wrote and died before its position', async () => {
    const store = await open();
    const { index } = store;
    const tables = tablesOf(stores);
    const client = await connect();
    await index.append(ALL_TOKENS, null, RANGE);
    await client.command({ query: `TRUNCATE TABLE ${tables.positions}` });
    await index.append(ALL_TOKENS, null, RANGE);
    expect(await rowsOf(client, tables.touched)).toBe(1);
    await store.close();
  });

  it('has a range on disk before its position says so', async () => {
    const store = await open();
    const client = await connect();
    const { exports: _, ...tables } = tablesOf(stores);
    for (const table of Object.values(tables)) {
      const query = `SHOW CREATE TABLE ${table}`;
      const [row] = await (await client.query({ query, format: 'JSONCompactEachRow' })).json<[string]>();
      expect(row![0]).toMatch(/fsync_after_insert = 1, fsync_part_directory = 1/);
    }
    await store.close();
  });

  it('loses what a killed process leaves of a file, with its age', async () => {
    const store = await open();
    const query = `SHOW CREATE TABLE ${tablesOf(stores).exports}`;
    const [row] = await (
      await (await connect()).query({ query, format: 'JSONCompactEachRow' })
    ).json<[string]>();
    expect(row![0]).toContain('TTL at + toIntervalHour(1)');
    await store.close();
  });

  it('skips the parts of the table that have nothing of a holder, whose tokens are asked for', async () => {
    const store = await open();
    const client = await connect();
    const asked: Parameters<ClickHouseClient['query']>[0][] = [];
    const query: ClickHouseClient['query'] = (params) => (asked.push(params), client.query(params));
    const index = createClickhouseIndex({ query } as ClickHouseClient, tablesOf(stores));
    await store.index.append(ALL_TOKENS, null, RANGE);
    await index.tokensOf({ account: `0x${'02'.repeat(20)}`, upTo: 10, limit: 10 });
    const explained = await client.query({ ...asked[0]!, query: `EXPLAIN indexes = 1 ${asked[0]!.query}` });
    expect(JSON.stringify(await explained.json())).toContain('of_holder');
    await store.close();
  });

  it('lets another instance walk once a lease has run out', async () => {
    const store = await open();
    const { index } = store;
    const lease = { holder: 'a', until: 1_000, status: STATUS };
    expect(await index.claim(ALL_TOKENS, lease, 0)).toBe(true);
    expect(await index.claim(ALL_TOKENS, { ...lease, holder: 'b' }, 999)).toBe(false);
    await index.release(ALL_TOKENS, 'b');
    expect(await index.lease(ALL_TOKENS)).toEqual(lease);
    expect(await index.claim(ALL_TOKENS, { ...lease, holder: 'b', until: 2_000 }, 1_000)).toBe(true);
    expect((await index.lease(ALL_TOKENS))?.holder).toBe('b');
    const ahead = { ...lease, holder: 'b', until: 2 * DAY_MS };
    expect(await index.claim(ALL_TOKENS, ahead, 2 * DAY_MS - 1)).toBe(true);
    expect(await index.claim(ALL_TOKENS, { ...lease, until: 3_000 }, 2_000)).toBe(true);
    await store.close();
  });

  it.each([
    [TRACK, 'has lost its lease'],
    [partOf(TRACK, 1), 'has lost its lease'],
    [TRACK, 'has it again'],
    [partOf(TRACK, 1), 'has it again'],
  ])(
    'moves no position of %s by an instance that stood still while the track was removed, and %s',
    async (name, now) => {
      const store = await open();
      const client = await connect();
      const tables = tablesOf(stores);
      const [stands, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const insert: ClickHouseClient['insert'] = async (params) => {
        const inserted = await client.insert(params);
        if (params.table !== tables.touched) return inserted;
        stands.resolve();
        await goesOn.promise;
        return inserted;
      };
      const query: ClickHouseClient['query'] = (params) => client.query(params);
      const command: ClickHouseClient['command'] = (params) => client.command(params);
      const index = createClickhouseIndex({ query, command, insert } as ClickHouseClient, tables);
      expect(await index.claim(name, { holder: 'a', until: 1_000, status: STATUS }, 0)).toBe(true);
      const appended = index.append(name, null, RANGE);
      await Promise.race([stands.promise, appended]);
      const lease = { holder: 'b', until: 2_000, status: STATUS };
      expect(await store.index.claim(TRACK, lease, 1_000)).toBe(true);
      await store.index.remove(TRACK);
      if (now === 'has it again')
        expect(await index.claim(name, { holder: 'a', until: 3_000, status: STATUS }, 2_000)).toBe(true);
      goesOn.resolve();
      await expect(appended).rejects.toThrow(CheckpointConflict);
      expect(await index.position(name)).toBeNull();
      await store.close();
    },
  );

  it('lets one instance walk after a clock that was ahead', async () => {
    const store = await open();
    const { index } = store;
    const now = Date.now();
    const written = `${now + 2 * DAY_MS}, '${JSON.stringify(STATUS)}', ${now + 2 * DAY_MS}`;
    const query = `INSERT INTO ${tablesOf(stores).leases} VALUES ('${ALL_TOKENS}', 'ahead', ${written})`;
    await (await connect()).command({ query });
    const lease = { holder: 'a', until: now + 1_000, status: STATUS };
    expect(await index.claim(ALL_TOKENS, lease, now)).toBe(true);
    expect(await index.lease(ALL_TOKENS)).toEqual(lease);
    expect(await index.claim(ALL_TOKENS, { ...lease, holder: 'ahead' }, now)).toBe(false);
    await store.close();
  });
});

it('is unavailable, not empty, where ClickHouse is', async () => {
  const client = connectClickhouse('http://127.0.0.1:9');
  const index = createClickhouseIndex(client, clickhouseTables('eth-mainnet'));
  await expect(index.position(ALL_TOKENS)).rejects.toMatchObject({ name: 'StoreUnavailable' });
  await client.close();
});
