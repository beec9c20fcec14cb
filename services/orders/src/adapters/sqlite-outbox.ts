import type { Ids } from '@hindsight/kernel/ids.ts';
import { heldInSql } from '@hindsight/stores/leases.ts';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { EndState } from '../domain/order-end.ts';
import type { OrderRecord } from '../domain/order-event.ts';
import type { Batch, Outbox, PublishedOrders } from '../ports.ts';
import { endKey, numbered, ofKey, type Unnumbered } from './batch-keys.ts';

type Row = Record<string, SQLOutputValue>;

/** The outbox in the embedded database: one row with the leader and the current batch. */
export function createSqliteOutbox(database: DatabaseSync, ids: Ids): Outbox {
  database
    .prepare('INSERT INTO orders_outbox (one, source) VALUES (1, ?) ON CONFLICT (one) DO NOTHING')
    .run(`/orders/${ids.next()}`);
  const lead = database.prepare(
    `UPDATE orders_outbox SET relay = :relay, leads_until = :until
      WHERE relay IS NULL OR relay = :relay OR NOT ${heldInSql('leads_until', ':now')}`,
  );
  const state = database.prepare('SELECT * FROM orders_outbox WHERE relay = ?');
  const oldest = database.prepare('SELECT id, record FROM orders WHERE sent = 0 ORDER BY position LIMIT ?');
  const oldestEnds = database.prepare(
    `SELECT id, record, state, settled_at FROM orders WHERE settled_sent = 0 ORDER BY settled_at, position LIMIT ?`,
  );
  const oldestAt = database.prepare(
    `SELECT min(at) AS at FROM (
      SELECT * FROM (SELECT received_at AS at FROM orders WHERE sent = 0 ORDER BY position LIMIT 1)
      UNION ALL SELECT min(settled_at) FROM orders WHERE settled_sent = 0)`,
  );
  const stored = database.prepare('SELECT record, state, settled_at FROM orders WHERE id = ?');
  const begin = database.prepare(
    `UPDATE orders_outbox SET batch_number = batch_number + 1, batch_ids = ?, first_sequence = next_sequence,
      next_sequence = next_sequence + ?`,
  );
  const markSent = database.prepare('UPDATE orders SET sent = 1, sequence = ? WHERE id = ?');
  const markEndSent = database.prepare(
    'UPDATE orders SET settled_sent = 1, settled_sequence = ? WHERE id = ?',
  );
  const finish = database.prepare(
    'UPDATE orders_outbox SET batch_ids = NULL WHERE batch_number = ? AND batch_ids IS NOT NULL',
  );
  const resign = database.prepare('UPDATE orders_outbox SET relay = NULL, leads_until = 0 WHERE relay = ?');
  const skip = database.prepare('UPDATE orders_outbox SET next_sequence = next_sequence + ?');
  const count = database.prepare(
    `SELECT count(*) AS n FROM (SELECT 1 FROM orders WHERE sent = 0
      UNION ALL SELECT 1 FROM orders WHERE settled_sent = 0 LIMIT ?)`,
  );

  const idle = database.prepare(
    `SELECT 1 FROM orders_outbox WHERE relay = ? AND batch_ids IS NULL
      AND NOT EXISTS (SELECT 1 FROM orders WHERE sent = 0)
      AND NOT EXISTS (SELECT 1 FROM orders WHERE settled_sent = 0)`,
  );

  function underWay(row: Row): Batch {
    const keys = JSON.parse(row.batch_ids as string) as string[];
    return toBatch(
      row,
      keys.map((key) => {
        const { id, isEnd } = ofKey(key);
        const found = stored.get(id);
        return found && (isEnd ? toEnd(found) : toReceived(found));
      }),
    );
  }

  return {
    lead: async (relay, now, until) =>
      inTransaction(database, () => lead.run({ relay, now, until }).changes === 1),
    async nextBatch(relay, limit) {
      // Asked several times a second: where nothing waits, no other writer does.
      if (idle.get(relay) !== undefined) return null;
      return inTransaction(database, () => {
        const current = state.get(relay);
        if (current === undefined) return null;
        if (current.batch_ids !== null) return underWay(current);
        const received = oldest.all(limit);
        const ends = received.length < limit ? oldestEnds.all(limit - received.length) : [];
        const keys = [...received.map(({ id }) => id), ...ends.map(({ id }) => endKey(id as string))];
        if (keys.length === 0) return null;
        begin.run(JSON.stringify(keys), keys.length);
        return toBatch(state.get(relay) as Row, [...received.map(toReceived), ...ends.map(toEnd)]);
      });
    },
    finish: async (_relay, { number, entries }) =>
      inTransaction(database, () => {
        // It does not matter which relay sent it. A batch that another relay has finished is left alone.
        if (finish.run(number).changes === 0) return;
        for (const { sequence, record, end } of entries)
          (end === undefined ? markSent : markEndSent).run(sequence, record.id);
      }),
    resign: async (relay) => void resign.run(relay),
    waiting: async (limit) => count.get(limit)?.n as number,
    skip: async (sequences) => void skip.run(sequences),
    waitingSince: async () => (oldestAt.get()?.at as number | null) ?? undefined,
  };
}

function toReceived({ record }: Row): Unnumbered {
  return { record: JSON.parse(record as string) as OrderRecord };
}

function toEnd(row: Row): Unnumbered {
  const state = JSON.parse(row.state as string) as EndState;
  return { ...toReceived(row), end: { state, at: row.settled_at as number } };
}

function toBatch(row: Row, entries: readonly (Unnumbered | undefined)[]): Batch {
  return {
    number: row.batch_number as number,
    source: row.source as string,
    entries: numbered(row.first_sequence as number, entries),
  };
}

export function createSqlitePublished(database: DatabaseSync): PublishedOrders {
  const head = database.prepare(
    `SELECT source, CASE WHEN batch_ids IS NULL THEN next_sequence ELSE first_sequence END - 1 AS sequence
      FROM orders_outbox`,
  );
  const read = database.prepare(
    `SELECT sequence, record, NULL AS state, NULL AS settled_at FROM orders
        WHERE sequence > :after AND sequence <= :upTo
      UNION ALL SELECT settled_sequence, record, state, settled_at FROM orders
        WHERE settled_sequence > :after AND settled_sequence <= :upTo
      ORDER BY 1 LIMIT :limit`,
  );
  return {
    head: async () => {
      const { source, sequence } = head.get() ?? {};
      return { source: source as string, sequence: sequence as number };
    },
    read: async (after, upTo, limit) =>
      read.all({ after, upTo, limit }).map((row) => ({
        sequence: row.sequence as number,
        ...(row.state === null ? toReceived(row) : toEnd(row)),
      })),
  };
}
