import type { Ids } from '@hindsight/kernel/ids.ts';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { OrderRecord } from '../domain/order-event.ts';
import type { Batch, Outbox } from '../ports.ts';

type Row = Record<string, SQLOutputValue>;

/** The outbox in the embedded database: one row with the leader and the current batch. */
export function createSqliteOutbox(database: DatabaseSync, ids: Ids): Outbox {
  database
    .prepare('INSERT INTO orders_outbox (one, source) VALUES (1, ?) ON CONFLICT (one) DO NOTHING')
    .run(`/orders/${ids.next()}`);
  const lead = database.prepare(
    'UPDATE orders_outbox SET relay = ?, leads_until = ? WHERE relay IS NULL OR relay = ? OR leads_until <= ?',
  );
  const state = database.prepare('SELECT * FROM orders_outbox WHERE relay = ?');
  const oldest = database.prepare('SELECT id, record FROM orders WHERE sent = 0 ORDER BY position LIMIT ?');
  const record = database.prepare('SELECT record FROM orders WHERE id = ?');
  const begin = database.prepare(
    `UPDATE orders_outbox SET batch_number = batch_number + 1, batch_ids = ?, first_sequence = next_sequence,
      next_sequence = next_sequence + ?`,
  );
  const markSent = database.prepare('UPDATE orders SET sent = 1, sequence = ? WHERE id = ?');
  const finish = database.prepare(
    'UPDATE orders_outbox SET batch_ids = NULL WHERE batch_number = ? AND batch_ids IS NOT NULL',
  );
  const resign = database.prepare('UPDATE orders_outbox SET relay = NULL, leads_until = 0 WHERE relay = ?');
  const skip = database.prepare('UPDATE orders_outbox SET next_sequence = next_sequence + ?');
  const count = database.prepare('SELECT count(*) AS n FROM (SELECT 1 FROM orders WHERE sent = 0 LIMIT ?)');

  function underWay(row: Row): Batch {
    const known = JSON.parse(row.batch_ids as string) as string[];
    return toBatch(
      row,
      known.map((id) => record.get(id)?.record as string | undefined),
    );
  }

  return {
    lead: async (relay, now, until) =>
      inTransaction(database, () => lead.run(relay, until, relay, now).changes === 1),
    nextBatch: async (relay, limit) =>
      inTransaction(database, () => {
        const current = state.get(relay);
        if (current === undefined) return null;
        if (current.batch_ids !== null) return underWay(current);
        const rows = oldest.all(limit);
        if (rows.length === 0) return null;
        begin.run(JSON.stringify(rows.map(({ id }) => id)), rows.length);
        return toBatch(
          state.get(relay) as Row,
          rows.map((row) => row.record as string),
        );
      }),
    finish: async (_relay, { number, entries }) =>
      inTransaction(database, () => {
        // It does not matter which relay sent it. A batch that another relay has finished is left alone.
        if (finish.run(number).changes === 0) return;
        for (const { sequence, record } of entries) markSent.run(sequence, record.id);
      }),
    resign: async (relay) => void resign.run(relay),
    waiting: async (limit) => count.get(limit)?.n as number,
    skip: async (sequences) => void skip.run(sequences),
  };
}

function toBatch(row: Row, records: readonly (string | undefined)[]): Batch {
  const first = row.first_sequence as number;
  return {
    number: row.batch_number as number,
    source: row.source as string,
    // A missing order was sent long ago; the others keep their numbers.
    entries: records.flatMap((text, at) =>
      text === undefined ? [] : [{ sequence: first + at, record: JSON.parse(text) as OrderRecord }],
    ),
  };
}
