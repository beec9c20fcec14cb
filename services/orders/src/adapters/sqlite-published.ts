import type { DatabaseSync } from 'node:sqlite';
import type { OrderRecord } from '../domain/order-event.ts';
import type { PublishedOrders } from '../ports.ts';

/** Published orders in the embedded database. */
export function createSqlitePublished(database: DatabaseSync): PublishedOrders {
  const head = database.prepare(
    `SELECT source, CASE WHEN batch_ids IS NULL THEN next_sequence ELSE first_sequence END - 1 AS sequence
      FROM orders_outbox`,
  );
  const read = database.prepare(
    'SELECT sequence, record FROM orders WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?',
  );
  return {
    head: async () => {
      const { source, sequence } = head.get() ?? {};
      return { source: source as string, sequence: sequence as number };
    },
    read: async (after, upTo, limit) =>
      read.all(after, upTo, limit).map(({ sequence, record }) => ({
        sequence: sequence as number,
        record: JSON.parse(record as string) as OrderRecord,
      })),
  };
}
