/** The index in ClickHouse: a range is one insert, and its position follows it. No mutation, no FINAL. */
import type { ClickHouseClient } from '@clickhouse/client';
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import { CheckpointConflict } from '@hindsight/indexing/position.ts';
import type { IndexStatus } from '@hindsight/indexing/progress.ts';
import { isHeld } from '@hindsight/stores/leases.ts';
import { APPROVAL_KINDS } from '../domain/approval-events.ts';
import { idToHex } from '../domain/points.ts';
import { partsPrefix, trackOfPart } from '../domain/track-parts.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import type { HolderIndex, TouchedRange } from '../ports.ts';
import { toParquet } from './clickhouse-parquet.ts';
import type { ClickhouseTables } from './clickhouse-schema.ts';
import { Tables } from './clickhouse-tables.ts';
import { askIndex, positionAfter, type Dialect } from './index-questions.ts';

/** The holder of the lease of a part whose track was removed: its walk adds nothing more. */
const REMOVED = 'removed';

/** Rows of one insert: a single block may have a million. */
const ROWS_AT_ONCE = 50_000;

/** Keeps the index of one network in tables that are there already. */
export function createClickhouseIndex(client: ClickHouseClient, tables: ClickhouseTables): HolderIndex {
  const store = new Tables(client);
  const questions = askIndex(store, dialectOf(tables));
  const readLease = async (track: Track): Promise<IndexLease | null> => {
    const sql = `SELECT holder, until, status FROM ${tables.leases}
      WHERE track = {track: String} ORDER BY at DESC LIMIT 1`;
    const [row] = await store.read(sql, { track });
    if (row === undefined) return null;
    const status = JSON.parse(String(row[2])) as IndexStatus;
    return { holder: String(row[0]), until: Number(row[1]), status };
  };
  /** Leases last claimed here, by the walks that add ranges. One that another process has had in between is a new one. */
  const claimed = new Map<Track, Pick<IndexLease, 'holder'>>();
  const writeLease = async ({ holder, until, status }: IndexLease, track: Track): Promise<void> =>
    store.insert(tables.leases, ['track', 'holder', 'until', 'status', 'at'], {
      rows: [[track, holder, until, JSON.stringify(status), await store.nextTime(tables.leases)]],
    });
  return {
    ...questions,
    async append(track, base, range) {
      const own = claimed.get(track);
      const position = positionAfter(range, { found: await questions.position(track), base });
      await insertRange(store, tables, track, range);
      if (claimed.get(track) !== own) throw new CheckpointConflict();
      // A process that has stood still since it read the position may write after another one has removed the track.
      const sql = `INSERT INTO ${tables.positions} (track, from_block, number, hash)
        SELECT {track: String}, {from: UInt32}, {number: UInt32}, {hash: String} WHERE {holder: String} IN
        ('', (SELECT holder FROM ${tables.leases} WHERE track = {track: String} ORDER BY at DESC LIMIT 1))`;
      await store.add(sql, { track, ...position, holder: own?.holder ?? '' });
      if ((await questions.position(track))?.number !== position.number) throw new CheckpointConflict();
      return position;
    },
    lease: readLease,
    async claim(track, lease, now) {
      const held = await readLease(track);
      if (held !== null && held.holder !== lease.holder && isHeld(held.until, now)) return false;
      if (held?.holder !== lease.holder) claimed.set(track, lease);
      await writeLease(lease, track);
      return true;
    },
    async release(track, holder) {
      const held = await readLease(track);
      if (held?.holder === holder) await writeLease({ ...held, until: 0 }, track);
    },
    async remove(track) {
      const ofParts = 'WHERE startsWith(track, {prefix: String})';
      const parts = await store.read(
        `SELECT track FROM ${tables.positions} ${ofParts} UNION DISTINCT SELECT track FROM ${tables.leases} ${ofParts}`,
        { prefix: partsPrefix(track) },
      );
      for (const [part] of parts) {
        const held = await readLease(String(part));
        if (held !== null) await writeLease({ ...held, holder: REMOVED, until: 0 }, String(part));
      }
      const drop = (table: string, of: Track): Promise<void> =>
        store.command(`ALTER TABLE ${table} DROP PARTITION '${partitionOf(of)}'`);
      for (const of of [track, ...parts.map(([part]) => String(part))]) await drop(tables.positions, of);
      await drop(tables.touched, track);
      if (track === ALL_TOKENS) await store.command(`TRUNCATE TABLE ${tables.approved}`);
    },
    async size() {
      const [found] = await store.read(
        `SELECT sum(rows), sum(bytes_on_disk) FROM system.parts
        WHERE active AND database = currentDatabase() AND table IN ({touched: String}, {approved: String})`,
        { touched: tables.touched, approved: tables.approved },
      );
      const [disk] = await store.read('SELECT min(free_space) FROM system.disks', {});
      return { rows: Number(found?.[0]), bytes: Number(found?.[1]), freeBytes: Number(disk?.[0]) };
    },
    toParquet: (rows) => toParquet(store, tables.exports, rows),
  };
}

function dialectOf(tables: ClickhouseTables): Dialect {
  return {
    tables,
    parameter: (name, value) => `{${name}: ${typeof value === 'number' ? 'UInt64' : 'String'}}`,
    ofTrack: (track) => `track = ${track}`,
    startsWith: 'startsWith',
    lastOfTracks: 'ORDER BY number DESC LIMIT 1 BY track',
    joined: (values) => `arrayStringConcat(groupUniqArray(${values}), ' ')`,
    // Read in the order of the table, it ends with the last holder that is wanted; DISTINCT would read all after it.
    holders: (condition, limit) => `SELECT lower(hex(holder)) FROM ${tables.touched} WHERE ${condition}
      ORDER BY holder LIMIT 1 BY holder LIMIT ${limit}`,
  };
}

/** A track as it stands in a statement, which takes no parameter there. @throws {TypeError} for anything else */
function partitionOf(track: Track): string {
  if (!/^(\*|0x[0-9a-f]{40})( from \d+)?$/.test(track))
    throw new TypeError(`${track.slice(0, 60)} is no track`);
  return track;
}

async function insertRange(
  store: Tables,
  { touched, approved }: ClickhouseTables,
  track: Track,
  { from, to, hash, points, approvals }: TouchedRange,
): Promise<void> {
  const range = `${track} ${from}-${to} ${hash}`;
  const insert = async <T>(
    table: string,
    columns: readonly string[],
    all: readonly T[],
    toRow: (one: T) => readonly unknown[],
  ): Promise<void> => {
    for (let at = 0; at < all.length; at += ROWS_AT_ONCE) {
      const rows = all.slice(at, at + ROWS_AT_ONCE).map(toRow);
      await store.insert(table, columns, { rows, deduplicateBy: `${range} ${at}` });
    }
  };
  const ofTrack = trackOfPart(track);
  await insert(
    touched,
    ['track', 'token_hex', 'holder_hex', 'id_hex', 'block'],
    points,
    ({ token, holder, id, block }) => [ofTrack, token.slice(2), holder.slice(2), idToHex(id), block],
  );
  await insert(
    approved,
    ['token_hex', 'owner_hex', 'spender_hex', 'kind', 'block'],
    approvals,
    ({ token, owner, spender, kind, block }) => [
      token.slice(2),
      owner.slice(2),
      spender.slice(2),
      APPROVAL_KINDS.indexOf(kind),
      block,
    ],
  );
}
