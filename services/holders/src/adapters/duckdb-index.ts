/** The index in one file of DuckDB: a range and its position are one transaction. */
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import { CheckpointConflict, refuseGap, type Position } from '@hindsight/indexing/position.ts';
import { APPROVAL_KINDS } from '../domain/approval-events.ts';
import { hexToId, idToHex, type Approval, type Point } from '../domain/points.ts';
import { isPart, joinParts, partsPrefix } from '../domain/track-parts.ts';
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
import type { DuckdbEngine, DuckdbSession } from './duckdb-engine.ts';
import { exportsFolder, toParquet } from './duckdb-parquet.ts';
import { KeptHolders } from './kept-holders.ts';

/** Keeps the index of one network in an engine. */
export function createDuckdbIndex(engine: DuckdbEngine): HolderIndex {
  const leases = new Map<Track, IndexLease>();
  const kept = new KeptHolders((question) => readHolders(engine, question));
  /** One transaction at a time: walks of several tokens write to the same tables. */
  let writing: Promise<unknown> = Promise.resolve();
  return {
    position: (track) => engine.use((session) => readPosition(session, track)),
    async append(track, base, range) {
      const written = writing.then(() =>
        engine.use((session) => inTransaction(session, () => append(session, track, base, range))),
      );
      writing = written.catch(() => undefined);
      const position = await written;
      // Its blocks are within those that the kept lists cover.
      if (isPart(track)) kept.clear();
      return position;
    },
    holders: (question) => kept.holders(question),
    blocks: (question) => engine.use((session) => readBlocks(session, question)),
    tokensOf: (question) => engine.use((session) => readTokens(session, question)),
    approvalsOf: (question) => engine.use((session) => readApprovals(session, question)),
    points: (question) => engine.use((session) => readPoints(session, question)),
    // Only this process has the file open, so no other can hold a lease.
    lease: async (track) => leases.get(track) ?? null,
    async claim(track, lease) {
      leases.set(track, lease);
      return true;
    },
    async release(track) {
      const lease = leases.get(track);
      if (lease) leases.set(track, { ...lease, until: 0 });
    },
    async remove(track) {
      const removed = writing.then(() => engine.use((session) => removeTrack(session, track)));
      writing = removed.catch(() => undefined);
      await removed;
      kept.clear();
      leases.delete(track);
    },
    size: () => engine.size(),
    toParquet: (rows) => toParquet(exportsFolder(engine.path), rows),
  };
}

async function removeTrack(session: DuckdbSession, track: Track): Promise<void> {
  await inTransaction(session, async () => {
    await session.run('DELETE FROM position WHERE track = $1 OR starts_with(track, $2)', [
      track,
      partsPrefix(track),
    ]);
    // A row that two tracks have is there twice, without a name; it goes with the last of them.
    if (track === ALL_TOKENS) {
      await session.run('DELETE FROM approved');
      await session.run(
        "DELETE FROM touched WHERE '0x' || lower(hex(token)) NOT IN (SELECT track FROM position)",
      );
    } else if ((await readPosition(session, ALL_TOKENS)) === null)
      await session.run('DELETE FROM touched WHERE token = unhex($1)', [track.slice(2)]);
  });
  // Only now are the blocks of the file free.
  await session.run('CHECKPOINT');
}

async function inTransaction<T>(session: DuckdbSession, work: () => Promise<T>): Promise<T> {
  await session.run('BEGIN');
  try {
    const result = await work();
    await session.run('COMMIT');
    return result;
  } catch (error) {
    await session.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function append(
  session: DuckdbSession,
  track: Track,
  base: Position | null,
  { from, to, hash, points, approvals }: TouchedRange,
): Promise<Position> {
  const found = await readPosition(session, track);
  if (found?.number !== base?.number || found?.hash !== base?.hash) throw new CheckpointConflict();
  refuseGap(base, from);
  await insert(session, POINTS, points.map(pointToText));
  await insert(session, APPROVALS, approvals.map(approvalToText));
  const position = { from: found?.from ?? from, number: to, hash };
  await session.run('INSERT OR REPLACE INTO position VALUES ($1, $2, $3, $4)', [
    track,
    position.from,
    to,
    hash,
  ]);
  return position;
}

/**
 * Rows cross into the engine as one text, which it takes apart in its own threads: a call for each value would take the time
 * of this one. Columns have fixed places in a row; the last one may be empty.
 */
const ROWS = "(SELECT unnest(string_split($1, ',')) AS row)";
const POINTS = `INSERT INTO touched SELECT
  unhex(row[1:40]), unhex(row[41:80]), unhex(row[91:]), row[81:90]::UINTEGER FROM ${ROWS}`;
const APPROVALS = `INSERT INTO approved SELECT
  unhex(row[1:40]), unhex(row[41:80]), unhex(row[81:120]), row[121:121]::UTINYINT, row[122:]::UINTEGER FROM ${ROWS}`;
const BLOCK_DIGITS = 10;

function pointToText({ token, holder, id, block }: Point): string {
  return token.slice(2) + holder.slice(2) + String(block).padStart(BLOCK_DIGITS, '0') + idToHex(id);
}

function approvalToText({ token, owner, spender, kind, block }: Approval): string {
  return token.slice(2) + owner.slice(2) + spender.slice(2) + APPROVAL_KINDS.indexOf(kind) + block;
}

async function insert(session: DuckdbSession, sql: string, rows: readonly string[]): Promise<void> {
  if (rows.length > 0) await session.run(sql, [rows.join(',')]);
}

async function readPosition(session: DuckdbSession, track: Track): Promise<Position | null> {
  const sql =
    'SELECT track, from_block, number, hash FROM position WHERE track = $1 OR starts_with(track, $2)';
  const rows = await session.read(sql, [track, partsPrefix(track)]);
  const stored = rows.map(([of, from, number, hash]) => ({
    track: of!,
    from: Number(from),
    number: Number(number),
    hash: hash!,
  }));
  return joinParts(track, stored);
}

async function* readHolders(
  engine: DuckdbEngine,
  { token, id, upTo, after, limit }: HoldersQuestion,
): AsyncGenerator<readonly string[]> {
  const conditions = ['token = unhex($token)', 'block <= $upTo'];
  if (id !== undefined) conditions.push('id = unhex($id)');
  if (after !== undefined) conditions.push('holder > unhex($after)');
  const values = {
    token: token.slice(2),
    upTo,
    limit,
    ...(id === undefined ? {} : { id: idToHex(id) }),
    ...(after === undefined ? {} : { after: after.slice(2) }),
  };
  const sql = `SELECT lower(hex(holder)) FROM
    (SELECT DISTINCT holder FROM touched WHERE ${conditions.join(' AND ')}) ORDER BY holder LIMIT $limit`;
  for await (const rows of engine.stream((session) => session.stream(sql, values)))
    yield rows.map(([digits]) => `0x${String(digits)}`);
}

async function readBlocks(
  session: DuckdbSession,
  { tokens, holder, from, to, newest, limit }: BlocksQuestion,
): Promise<readonly TouchedBlock[]> {
  const conditions = ['block BETWEEN $from AND $to'];
  const named = (tokens ?? []).map((token, i): [string, string] => [`token${i}`, token.slice(2)]);
  if (tokens !== null) conditions.push(`token IN (${named.map(([name]) => `unhex($${name})`).join(', ')})`);
  if (holder !== undefined) conditions.push('holder = unhex($holder)');
  const values = {
    ...{ from, to, limit },
    ...Object.fromEntries(named),
    ...(holder === undefined ? {} : { holder: holder.slice(2) }),
  };
  const sql = `SELECT block, string_agg(DISTINCT lower(hex(token)), ' ') FROM touched
    WHERE ${conditions.join(' AND ')} GROUP BY block ORDER BY block ${newest ? 'DESC' : 'ASC'} LIMIT $limit`;
  const rows = await session.read(sql, values);
  return rows.map(([block, found]) => ({
    number: Number(block),
    tokens: found!.split(' ').map((digits) => `0x${digits}`),
  }));
}

async function readTokens(
  session: DuckdbSession,
  { account, upTo, limit }: AccountQuestion,
): Promise<readonly Omit<Point, 'holder'>[]> {
  const sql = `SELECT lower(hex(token)), lower(hex(id)), max(block) AS last FROM touched
    WHERE holder = unhex($account) AND block <= $upTo GROUP BY token, id
    ORDER BY last DESC, token, id LIMIT $limit`;
  const rows = await session.read(sql, { account: account.slice(2), upTo, limit });
  return rows.map(([token, id, block]) => ({
    token: `0x${token}`,
    id: hexToId(id ?? ''),
    block: Number(block),
  }));
}

async function readApprovals(
  session: DuckdbSession,
  { account, upTo, limit }: AccountQuestion,
): Promise<readonly Omit<Approval, 'owner'>[]> {
  const sql = `SELECT lower(hex(token)), lower(hex(spender)), kind, max(block) AS last FROM approved
    WHERE owner = unhex($account) AND block <= $upTo GROUP BY token, spender, kind
    ORDER BY last DESC, token, spender, kind LIMIT $limit`;
  const rows = await session.read(sql, { account: account.slice(2), upTo, limit });
  return rows.map(([token, spender, kind, block]) => ({
    token: `0x${token}`,
    spender: `0x${spender}`,
    kind: APPROVAL_KINDS[Number(kind)]!,
    block: Number(block),
  }));
}

async function readPoints(
  session: DuckdbSession,
  { token, from, to }: PointsQuestion,
): Promise<readonly Point[]> {
  const sql = `SELECT DISTINCT lower(hex(holder)), lower(hex(id)), block FROM touched
    WHERE token = unhex($1) AND block BETWEEN $2 AND $3`;
  const rows = await session.read(sql, [token.slice(2), from, to]);
  return rows.map(([holder, id, block]) => ({
    token,
    holder: `0x${holder}`,
    id: hexToId(id ?? ''),
    block: Number(block),
  }));
}
