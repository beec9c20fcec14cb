/** The index in one file of DuckDB: a range and its position are one transaction. */
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import { CheckpointConflict, refuseGap, type Position } from '@hindsight/indexing/position.ts';
import { setImmediate } from 'node:timers/promises';
import { hexToId, idToHex, type Point } from '../domain/points.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import type {
  BlocksQuestion,
  HolderIndex,
  HoldersQuestion,
  PointsQuestion,
  TouchedBlock,
  TouchedRange,
} from '../ports.ts';
import type { DuckdbEngine, DuckdbSession } from './duckdb-engine.ts';
import { exportsFolder, toParquet } from './duckdb-parquet.ts';

/** Rows that are appended before other work of the process has its turn. */
const SLICE = 2_048;

/** Keeps the index of one network in an engine. */
export function createDuckdbIndex(engine: DuckdbEngine): HolderIndex {
  const leases = new Map<Track, IndexLease>();
  /** One transaction at a time: walks of several tokens write to the same tables. */
  let writing: Promise<unknown> = Promise.resolve();
  return {
    position: (track) => engine.use((session) => readPosition(session, track)),
    async append(track, base, range) {
      const written = writing.then(() =>
        engine.use((session) => inTransaction(session, () => append(session, track, base, range))),
      );
      writing = written.catch(() => undefined);
      return written;
    },
    holders: (question) => readHolders(engine, question),
    blocks: (question) => engine.use((session) => readBlocks(session, question)),
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
      leases.delete(track);
    },
    size: () => engine.size(),
    toParquet: (rows) => toParquet(exportsFolder(engine.path), rows),
  };
}

async function removeTrack(session: DuckdbSession, track: Track): Promise<void> {
  await inTransaction(session, async () => {
    await session.run('DELETE FROM position WHERE track = $1', [track]);
    // A row that two tracks have is there twice, without a name; it goes with the last of them.
    const isAll = track === ALL_TOKENS;
    if (isAll)
      await session.run(
        "DELETE FROM touched WHERE '0x' || lower(hex(token)) NOT IN (SELECT track FROM position)",
      );
    else if ((await readPosition(session, ALL_TOKENS)) === null)
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
  { from, to, hash, points }: TouchedRange,
): Promise<Position> {
  const found = await readPosition(session, track);
  if (found?.number !== base?.number || found?.hash !== base?.hash) throw new CheckpointConflict();
  refuseGap(base, from);
  await appendPoints(session, points);
  const position = { from: base?.from ?? from, number: to, hash };
  await session.run('INSERT OR REPLACE INTO position VALUES ($1, $2, $3, $4)', [
    track,
    position.from,
    to,
    hash,
  ]);
  return position;
}

async function appendPoints(session: DuckdbSession, points: readonly Point[]): Promise<void> {
  await session.append('touched', async (appender) => {
    for (let from = 0; from < points.length; from += SLICE) {
      for (const { token, holder, id, block } of points.slice(from, from + SLICE)) {
        appender.appendBlob(addressToBytes(token));
        appender.appendBlob(addressToBytes(holder));
        appender.appendBlob(Buffer.from(idToHex(id), 'hex'));
        appender.appendUInteger(block);
        appender.endRow();
      }
      await setImmediate();
    }
  });
}

async function readPosition(session: DuckdbSession, track: Track): Promise<Position | null> {
  const sql = 'SELECT from_block, number, hash FROM position WHERE track = $1';
  const [row] = await session.read(sql, [track]);
  return row === undefined ? null : { from: Number(row[0]), number: Number(row[1]), hash: row[2]! };
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

function addressToBytes(address: string): Buffer {
  return Buffer.from(address.slice(2), 'hex');
}
