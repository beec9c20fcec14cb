/** The book of tracks in ClickHouse: rows are only added, and the last of a track counts. */
import type { ClickHouseClient } from '@clickhouse/client';
import type { TrackBook, TrackReport, TrackWish } from '../ports.ts';
import { clickhouseTables, type ClickhouseTables } from './clickhouse-schema.ts';
import { Tables } from './clickhouse-tables.ts';

/** The word of a wish that was fulfilled, and the text of a report that was forgotten. */
const FORGOTTEN = '';

export async function storedNetworks(client: ClickHouseClient): Promise<readonly string[]> {
  const { wishes: start } = clickhouseTables('');
  const rows = await new Tables(client).read(
    'SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, {start: String}) ORDER BY name',
    { start },
  );
  return rows.map(([table]) => String(table).slice(start.length).replaceAll('_', '-'));
}

/** Keeps the book in tables that are there already. */
export function createClickhouseTrackBook(client: ClickHouseClient, tables: ClickhouseTables): TrackBook {
  const store = new Tables(client);
  const last = (table: string, columns: string): Promise<readonly (readonly unknown[])[]> =>
    store.read(`SELECT ${columns} FROM ${table} ORDER BY track, at DESC LIMIT 1 BY track`, {});
  const addWish = async ({ track, wish, fromBlock }: Omit<TrackWish, 'wish'> & { wish: string }) =>
    store.insert(tables.wishes, ['track', 'wish', 'from_block', 'at'], {
      rows: [[track, wish, fromBlock, await store.nextTime(tables.wishes)]],
    });
  const addReports = async (texts: readonly (readonly [track: string, text: string])[]): Promise<void> => {
    const at = await store.nextTime(tables.reports);
    const rows = texts.map(([track, text]) => [track, text, at]);
    await store.insert(tables.reports, ['track', 'report', 'at'], { rows });
  };
  return {
    async wishes() {
      const rows = await last(tables.wishes, 'track, wish, from_block');
      return rows.flatMap(([track, wish, from]): TrackWish[] =>
        wish === FORGOTTEN
          ? []
          : [{ track: String(track), wish: wish as TrackWish['wish'], fromBlock: Number(from) }],
      );
    },
    wish: addWish,
    async reports() {
      const rows = await last(tables.reports, 'report');
      return rows.flatMap(([text]) => (text === FORGOTTEN ? [] : [JSON.parse(String(text)) as TrackReport]));
    },
    report: (reports) => addReports(reports.map((one) => [one.track, JSON.stringify(one)])),
    async forget(track) {
      await addWish({ track, wish: FORGOTTEN, fromBlock: 0 });
      await addReports([[track, FORGOTTEN]]);
    },
  };
}
