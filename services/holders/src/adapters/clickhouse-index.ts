/** The index in ClickHouse: a range is one insert, and its position follows it. No mutation, no FINAL. */
import type { ClickHouseClient } from '@clickhouse/client';
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import { CheckpointConflict, refuseGap, type Position } from '@hindsight/indexing/position.ts';
import type { IndexStatus } from '@hindsight/indexing/progress.ts';
import { APPROVAL_KINDS } from '../domain/approval-events.ts';
import { hexToId, idToHex, type Approval, type Point } from '../domain/points.ts';
import { joinParts, partsPrefix, trackOfPart } from '../domain/track-parts.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import type {
  AccountQuestion,
  BlocksQuestion,
  HolderIndex,
  HoldersQuestion,
  PointsQuestion,
  TouchedBlock,
  TouchedRange,
} from '../ports.ts';
import { toParquet } from './clickhouse-parquet.ts';
import type { ClickhouseTables } from './clickhouse-schema.ts';
import { Tables } from './clickhouse-tables.ts';

/** Keeps the index of one network in tables that are there already. */
export function createClickhouseIndex(client: ClickHouseClient, tables: ClickhouseTables): HolderIndex {
  const store = new Tables(client);
  const readPosition = async (track: Track): Promise<Position | null> => {
    const sql = `SELECT track, from_block, number, hash FROM ${tables.positions}
      WHERE track = {track: String} OR startsWith(track, {prefix: String}) ORDER BY number DESC LIMIT 1 BY track`;
    const rows = await store.read(sql, { track, prefix: partsPrefix(track) });
    const stored = rows.map(([of, from, number, hash]) => ({
      track: String(of),
      from: Number(from),
      number: Number(number),
      hash: String(hash),
    }));
    return joinParts(track, stored);
  };
  const readLease = async (track: Track): Promise<IndexLease | null> => {
    const sql = `SELECT holder, until, status FROM ${tables.leases}
      WHERE track = {track: String} ORDER BY at DESC LIMIT 1`;
    const [row] = await store.read(sql, { track });
    if (row === undefined) return null;
    const status = JSON.parse(String(row[2])) as IndexStatus;
    return { holder: String(row[0]), until: Number(row[1]), status };
  };
  const writeLease = ({ holder, until, status }: IndexLease, track: Track): Promise<void> =>
    store.insert(tables.leases, ['track', 'holder', 'until', 'status', 'at'], {
      rows: [[track, holder, until, JSON.stringify(status), Date.now()]],
    });
  return {
    position: readPosition,
    async append(track, base, range) {
      const found = await readPosition(track);
      if (found?.number !== base?.number || found?.hash !== base?.hash) throw new CheckpointConflict();
      refuseGap(base, range.from);
      const { to: number, hash } = range;
      if (range.points.length > 0) await insertPoints(store, tables, track, range);
      if (range.approvals.length > 0) await insertApprovals(store, tables, track, range);
      const position = { from: found?.from ?? range.from, number, hash };
      await store.insert(tables.positions, ['track', 'from_block', 'number', 'hash'], {
        rows: [[track, position.from, number, hash]],
      });
      return position;
    },
    holders: (question) => readHolders(store, tables, question),
    blocks: (question) => readBlocks(store, tables, question),
    tokensOf: (question) => readTokens(store, tables, question),
    approvalsOf: (question) => readApprovals(store, tables, question),
    points: (question) => readPoints(store, tables, question),
    lease: readLease,
    async claim(track, lease, now) {
      const held = await readLease(track);
      if (held !== null && held.holder !== lease.holder && held.until > now) return false;
      await writeLease(lease, track);
      return true;
    },
    async release(track, holder) {
      const held = await readLease(track);
      if (held?.holder === holder) await writeLease({ ...held, until: 0 }, track);
    },
    async remove(track) {
      const parts = await store.read(
        `SELECT DISTINCT track FROM ${tables.positions} WHERE startsWith(track, {prefix: String})`,
        { prefix: partsPrefix(track) },
      );
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

/** A track as it stands in a statement, which takes no parameter there. @throws {TypeError} for anything else */
function partitionOf(track: Track): string {
  if (!/^(\*|0x[0-9a-f]{40})( from \d+)?$/.test(track))
    throw new TypeError(`${track.slice(0, 60)} is no track`);
  return track;
}

function insertPoints(
  store: Tables,
  { touched }: ClickhouseTables,
  track: Track,
  { from, to, hash, points }: TouchedRange,
): Promise<void> {
  const rows = points.map(({ token, holder, id, block }: Point) => [
    trackOfPart(track),
    token.slice(2),
    holder.slice(2),
    idToHex(id),
    block,
  ]);
  const columns = ['track', 'token_hex', 'holder_hex', 'id_hex', 'block'];
  return store.insert(touched, columns, { rows, deduplicateBy: `${track} ${from}-${to} ${hash}` });
}

function insertApprovals(
  store: Tables,
  { approved }: ClickhouseTables,
  track: Track,
  { from, to, hash, approvals }: TouchedRange,
): Promise<void> {
  const rows = approvals.map(({ token, owner, spender, kind, block }: Approval) => [
    token.slice(2),
    owner.slice(2),
    spender.slice(2),
    APPROVAL_KINDS.indexOf(kind),
    block,
  ]);
  const columns = ['token_hex', 'owner_hex', 'spender_hex', 'kind', 'block'];
  return store.insert(approved, columns, { rows, deduplicateBy: `${track} ${from}-${to} ${hash}` });
}

async function* readHolders(
  store: Tables,
  { touched }: ClickhouseTables,
  { track, token, id, upTo, after, limit }: HoldersQuestion,
): AsyncGenerator<readonly string[]> {
  const conditions = ['track = {track: String}', 'token = unhex({token: String})', 'block <= {upTo: UInt64}'];
  if (id !== undefined) conditions.push('id = unhex({id: String})');
  if (after !== undefined) conditions.push('holder > unhex({after: String})');
  // Read in the order of the table, it ends with the last holder that is wanted; DISTINCT would read all behind it.
  const sql = `SELECT lower(hex(holder)) FROM ${touched} WHERE ${conditions.join(' AND ')}
    ORDER BY holder LIMIT 1 BY holder LIMIT {limit: UInt64}`;
  const values = {
    track,
    token: token.slice(2),
    upTo,
    limit,
    id: id === undefined ? '' : idToHex(id),
    after: after?.slice(2) ?? '',
  };
  for await (const rows of store.stream(sql, values)) yield rows.map(([digits]) => `0x${String(digits)}`);
}

async function readBlocks(
  store: Tables,
  { touched }: ClickhouseTables,
  { tokens, holder, from, to, newest, limit }: BlocksQuestion,
): Promise<readonly TouchedBlock[]> {
  const conditions = ['block BETWEEN {from: UInt64} AND {to: UInt64}'];
  const named = (tokens ?? []).map((token, i): [string, string] => [`token${i}`, token.slice(2)]);
  if (tokens !== null)
    conditions.push(`token IN (${named.map(([name]) => `unhex({${name}: String})`).join(', ')})`);
  if (holder !== undefined) conditions.push('holder = unhex({holder: String})');
  const values = { from, to, limit, ...Object.fromEntries(named), holder: holder?.slice(2) ?? '' };
  const sql = `SELECT block, arrayStringConcat(groupUniqArray(lower(hex(token))), ' ') FROM ${touched}
    WHERE ${conditions.join(' AND ')} GROUP BY block
    ORDER BY block ${newest ? 'DESC' : 'ASC'} LIMIT {limit: UInt64}`;
  const rows = await store.read(sql, values);
  return rows.map(([block, found]) => ({
    number: Number(block),
    tokens: String(found)
      .split(' ')
      .map((digits) => `0x${digits}`),
  }));
}

async function readTokens(
  store: Tables,
  { touched }: ClickhouseTables,
  { account, upTo, limit }: AccountQuestion,
): Promise<readonly Omit<Point, 'holder'>[]> {
  const sql = `SELECT lower(hex(token)), lower(hex(id)), max(block) AS last FROM ${touched}
    WHERE track = {track: String} AND holder = unhex({account: String}) AND block <= {upTo: UInt64}
    GROUP BY token, id ORDER BY last DESC, token, id LIMIT {limit: UInt64}`;
  const rows = await store.read(sql, { track: ALL_TOKENS, account: account.slice(2), upTo, limit });
  return rows.map(([token, id, block]) => ({
    token: `0x${String(token)}`,
    id: hexToId(String(id)),
    block: Number(block),
  }));
}

async function readApprovals(
  store: Tables,
  { approved }: ClickhouseTables,
  { account, upTo, limit }: AccountQuestion,
): Promise<readonly Omit<Approval, 'owner'>[]> {
  const sql = `SELECT lower(hex(token)), lower(hex(spender)), kind, max(block) AS last FROM ${approved}
    WHERE owner = unhex({account: String}) AND block <= {upTo: UInt64}
    GROUP BY token, spender, kind ORDER BY last DESC, token, spender, kind LIMIT {limit: UInt64}`;
  const rows = await store.read(sql, { account: account.slice(2), upTo, limit });
  return rows.map(([token, spender, kind, block]) => ({
    token: `0x${String(token)}`,
    spender: `0x${String(spender)}`,
    kind: APPROVAL_KINDS[Number(kind)]!,
    block: Number(block),
  }));
}

async function readPoints(
  store: Tables,
  { touched }: ClickhouseTables,
  { track, token, from, to }: PointsQuestion,
): Promise<readonly Point[]> {
  const sql = `SELECT DISTINCT lower(hex(holder)), lower(hex(id)), block FROM ${touched}
    WHERE track = {track: String} AND token = unhex({token: String})
      AND block BETWEEN {from: UInt64} AND {to: UInt64}`;
  const rows = await store.read(sql, { track, token: token.slice(2), from, to });
  return rows.map(([holder, id, block]) => ({
    token,
    holder: `0x${String(holder)}`,
    id: hexToId(String(id)),
    block: Number(block),
  }));
}
