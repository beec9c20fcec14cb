/** Questions to the index in the SQL that all engines have; the rest of it is a dialect. */
import { CheckpointConflict, refuseGap, type Position } from '@hindsight/indexing/position.ts';
import { APPROVAL_KINDS } from '../domain/approval-events.ts';
import { hexToId, idToHex } from '../domain/points.ts';
import { joinParts } from '../domain/track-parts.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import type { HolderIndex, TouchedRange } from '../ports.ts';

type Value = string | number;
type Rows = readonly (readonly unknown[])[];

/** An engine, as far as its SQL is its own. */
export interface Dialect {
  readonly tables: { readonly touched: string; readonly approved: string; readonly positions: string };
  /** A parameter as it stands in a statement. */
  readonly parameter: (name: string, value: Value) => string;
  /** The condition on rows of a track; null where rows have no track. */
  readonly ofTrack: ((track: string) => string) | null;
  readonly startsWith: string;
  /** Selects the last row of each track, where a track has several. */
  readonly lastOfTracks: string;
  /** Different values of a group, as one text with blanks between them. */
  readonly joined: (values: string) => string;
  /** The holders in rows of a condition, in their order. */
  readonly holders: (condition: string, limit: string) => string;
}

/** Runs a statement. @throws {StoreUnavailable} */
interface Run {
  read(sql: string, values: Readonly<Record<string, Value>>): Promise<Rows>;
  stream(sql: string, values: Readonly<Record<string, Value>>): AsyncIterable<Rows>;
}

type Questions = Pick<
  HolderIndex,
  'position' | 'positions' | 'holders' | 'blocks' | 'tokensOf' | 'approvalsOf' | 'points'
>;

export function askIndex(run: Run, dialect: Dialect): Questions {
  const { touched, approved, positions } = dialect.tables;
  /** Names the values of a statement where they stand in it. */
  const statement = () => {
    const values: Record<string, Value> = {};
    const given = (value: Value): string => {
      const name = `value${Object.keys(values).length}`;
      values[name] = value;
      return dialect.parameter(name, value);
    };
    const bytes = (digits: string): string => `unhex(${given(digits)})`;
    const address = (text: string): string => bytes(text.slice(2));
    const ofTrack = (track: Track): string =>
      dialect.ofTrack === null ? '' : `${dialect.ofTrack(given(track))} AND `;
    return { values, given, bytes, address, ofTrack };
  };
  const positionsOf = async (tracks: readonly Track[]): Promise<readonly (Position | null)[]> => {
    const { values, given } = statement();
    // A part's name begins with that of its track. One value a track: ClickHouse's client sends values in the URL.
    const ofTracks = tracks.map((track) => `${dialect.startsWith}(track, ${given(track)})`);
    const sql = `SELECT track, from_block, number, hash FROM ${positions}
      WHERE ${ofTracks.join(' OR ')} ${dialect.lastOfTracks}`;
    const rows = await run.read(sql, values);
    const stored = rows.map(([of, from, number, hash]) => ({
      track: String(of),
      from: Number(from),
      number: Number(number),
      hash: String(hash),
    }));
    return tracks.map((track) => joinParts(track, stored));
  };
  return {
    positions: positionsOf,
    position: async (track) => (await positionsOf([track]))[0] ?? null,
    async *holders({ track, token, id, upTo, after, limit }) {
      const { values, given, bytes, address, ofTrack } = statement();
      const condition = [
        `${ofTrack(track)}token = ${address(token)} AND block <= ${given(upTo)}`,
        ...(id === undefined ? [] : [`id = ${bytes(idToHex(id))}`]),
        ...(after === undefined ? [] : [`holder > ${address(after)}`]),
      ].join(' AND ');
      const sql = dialect.holders(condition, given(limit));
      for await (const rows of run.stream(sql, values)) yield rows.map(([digits]) => `0x${String(digits)}`);
    },
    async blocks({ tokens, holder, from, to, newest, limit }) {
      const { values, given, address } = statement();
      const condition = [
        `block BETWEEN ${given(from)} AND ${given(to)}`,
        ...(tokens === null ? [] : [`token IN (${tokens.map(address).join(', ')})`]),
        ...(holder === undefined ? [] : [`holder = ${address(holder)}`]),
      ].join(' AND ');
      const sql = `SELECT block, ${dialect.joined('lower(hex(token))')} FROM ${touched} WHERE ${condition}
        GROUP BY block ORDER BY block ${newest ? 'DESC' : 'ASC'} LIMIT ${given(limit)}`;
      const rows = await run.read(sql, values);
      return rows.map(([block, found]) => ({
        number: Number(block),
        tokens: String(found)
          .split(' ')
          .map((digits) => `0x${digits}`),
      }));
    },
    async tokensOf({ account, upTo, limit }) {
      const { values, given, address, ofTrack } = statement();
      const sql = `SELECT lower(hex(token)), lower(hex(id)), max(block) AS last FROM ${touched}
        WHERE ${ofTrack(ALL_TOKENS)}holder = ${address(account)} AND block <= ${given(upTo)}
        GROUP BY token, id ORDER BY last DESC, token, id LIMIT ${given(limit)}`;
      const rows = await run.read(sql, values);
      return rows.map(([token, id, block]) => ({
        token: `0x${String(token)}`,
        id: hexToId(String(id)),
        block: Number(block),
      }));
    },
    async approvalsOf({ account, upTo, limit }) {
      const { values, given, address } = statement();
      const sql = `SELECT lower(hex(token)), lower(hex(spender)), kind, max(block) AS last FROM ${approved}
        WHERE owner = ${address(account)} AND block <= ${given(upTo)}
        GROUP BY token, spender, kind ORDER BY last DESC, token, spender, kind LIMIT ${given(limit)}`;
      const rows = await run.read(sql, values);
      return rows.map(([token, spender, kind, block]) => ({
        token: `0x${String(token)}`,
        spender: `0x${String(spender)}`,
        kind: APPROVAL_KINDS[Number(kind)]!,
        block: Number(block),
      }));
    },
    async points({ track, token, from, to }) {
      const { values, given, address, ofTrack } = statement();
      const sql = `SELECT DISTINCT lower(hex(holder)), lower(hex(id)), block FROM ${touched}
        WHERE ${ofTrack(track)}token = ${address(token)} AND block BETWEEN ${given(from)} AND ${given(to)}`;
      const rows = await run.read(sql, values);
      return rows.map(([holder, id, block]) => ({
        token,
        holder: `0x${String(holder)}`,
        id: hexToId(String(id)),
        block: Number(block),
      }));
    },
  };
}

/** The position after a range that is to be added. @throws {CheckpointConflict} where another instance was faster; {RangeError} */
export function positionAfter(
  { from, to, hash }: TouchedRange,
  { found, base }: { readonly found: Position | null; readonly base: Position | null },
): Position {
  if (found?.number !== base?.number || found?.hash !== base?.hash) throw new CheckpointConflict();
  refuseGap(base, from);
  return { from: found?.from ?? from, number: to, hash };
}
