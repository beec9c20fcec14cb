import type { DatabaseSync } from 'node:sqlite';
import { rememberedUntil } from '../domain/order-event.ts';
import type { OrderStore } from '../ports.ts';
import type { GroupCommit } from './group-commit.ts';

/** Orders in the embedded database. */
export function createSqliteOrders(database: DatabaseSync, commit: GroupCommit): OrderStore {
  const insert = database.prepare(
    'INSERT INTO orders (id, received_at, deadline, record) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const find = database.prepare('SELECT 1 FROM orders WHERE id = ?');
  const remove = database.prepare(
    `DELETE FROM orders WHERE position IN (
      SELECT position FROM orders WHERE sent = 1 AND received_at < ? AND deadline < ? LIMIT ?)`,
  );
  return {
    insert(record) {
      const { id, receivedAt } = record;
      const text = JSON.stringify(record);
      return commit.run(() =>
        insert.run(id, receivedAt, rememberedUntil(record), text).changes === 1 ? 'stored' : 'duplicate',
      );
    },
    has: async (id) => find.get(id) !== undefined,
    removeOld: ({ receivedBefore, deadlineBefore }, limit) =>
      commit.run(() => Number(remove.run(receivedBefore, deadlineBefore, limit).changes)),
  };
}
