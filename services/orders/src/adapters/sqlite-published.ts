import type { DatabaseSync } from 'node:sqlite';
import type { PublishedOrders } from '../ports.ts';
import { toEnd, toReceived } from './sqlite-outbox.ts';

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
