/** The index in one file of DuckDB: a range and its position are one transaction. */
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { APPROVAL_KINDS } from '../domain/approval-events.ts';
import { idToHex, type Approval, type Point } from '../domain/points.ts';
import { partsPrefix, trackOfPart } from '../domain/track-parts.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import type { HolderIndex, TouchedRange } from '../ports.ts';
import type { DuckdbEngine, DuckdbSession } from './duckdb-engine.ts';
import { exportsFolder, toParquet } from './duckdb-parquet.ts';
import { askIndex, positionAfter, type Dialect } from './index-questions.ts';
import { KeptHolders } from './kept-holders.ts';

const DIALECT: Dialect = {
  tables: { touched: 'touched', approved: 'approved', positions: 'position' },
  parameter: (name) => `$${name}`,
  ofTrack: null,
  startsWith: 'starts_with',
  lastOfTracks: '',
  joined: (values) => `string_agg(DISTINCT ${values}, ' ')`,
  holders: (condition, limit) => `SELECT lower(hex(holder)) FROM
    (SELECT DISTINCT holder FROM touched WHERE ${condition}) ORDER BY holder LIMIT ${limit}`,
};

export function createDuckdbIndex(engine: DuckdbEngine): HolderIndex {
  const leases = new Map<Track, IndexLease>();
  const questions = askIndex(
    {
      read: (sql, values) => engine.use((session) => session.read(sql, values)),
      stream: (sql, values) => engine.stream((session) => session.stream(sql, values)),
    },
    DIALECT,
  );
  const kept = new KeptHolders((question) => questions.holders(question));
  /** One transaction at a time: walks of several tokens write to the same tables. */
  let writing: Promise<unknown> = Promise.resolve();
  return {
    ...questions,
    async append(track, base, range) {
      const written = writing.then(() =>
        engine.use((session) => inTransaction(session, () => append(session, track, base, range))),
      );
      writing = written.catch(() => undefined);
      const position = await written;
      // Earlier blocks of a track, or one that was removed and begins again: kept lists may cover its blocks.
      kept.added(trackOfPart(track), range.from);
      return position;
    },
    holders: (question) => kept.holders(question),
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
    } else if ((await askIndex(session, DIALECT).position(ALL_TOKENS)) === null)
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
  range: TouchedRange,
): Promise<Position> {
  const position = positionAfter(range, { found: await askIndex(session, DIALECT).position(track), base });
  await insert(session, POINTS, range.points, pointToText);
  await insert(session, APPROVALS, range.approvals, approvalToText);
  await session.run('INSERT OR REPLACE INTO position VALUES ($1, $2, $3, $4)', [
    track,
    position.from,
    position.number,
    position.hash,
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
/** A single block may have a million. */
const ROWS_AT_ONCE = 50_000;

function pointToText({ token, holder, id, block }: Point): string {
  return token.slice(2) + holder.slice(2) + String(block).padStart(BLOCK_DIGITS, '0') + idToHex(id);
}

function approvalToText({ token, owner, spender, kind, block }: Approval): string {
  return token.slice(2) + owner.slice(2) + spender.slice(2) + APPROVAL_KINDS.indexOf(kind) + block;
}

async function insert<T>(
  session: DuckdbSession,
  sql: string,
  all: readonly T[],
  toText: (row: T) => string,
): Promise<void> {
  for (const part of partsOf(all, ROWS_AT_ONCE)) await session.run(sql, [part.map(toText).join(',')]);
}
