import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { rememberedUntil, type OrderRecord } from '../domain/order-event.ts';
import { NEVER, type OrderState } from '../domain/order-state.ts';
import type { OrderStore, Settlement, StoredOrder } from '../ports.ts';
import type { Commit } from './group-commit.ts';
import { listSql, listValues } from './sqlite-list.ts';

export function createSqliteOrders(database: DatabaseSync, commit: Commit): OrderStore {
  const insert = database.prepare(
    'INSERT INTO orders (id, received_at, deadline, record) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const find = database.prepare('SELECT record, state FROM orders WHERE id = ?');
  const settle = database.prepare(
    `UPDATE orders SET state = :state, look_at = iif(:isFinal, ${NEVER}, look_at),
      settled_sent = iif(:isFinal, 0, NULL), settled_at = iif(:isFinal, :at, NULL)
      WHERE id = :id AND state <> :state AND json_extract(state, '$.finalized') IS NOT TRUE`,
  );
  const remove = database.prepare(
    `DELETE FROM orders WHERE position IN (
      SELECT position FROM orders WHERE sent = 1 AND received_at < :received AND deadline < :deadline
        AND (settled_sent = 1 OR settled_sent IS NULL AND deadline < :open)
        AND coalesce(settled_at, 0) < :received LIMIT :limit)`,
  );

  function write(id: string, wanted: OrderState, at: number): Settlement {
    const state = JSON.stringify(wanted);
    const end = { isFinal: Number(wanted.status !== 'open'), at };
    if (settle.run({ id, state, ...end }).changes === 1) return 'changed';
    const stored = find.get(id);
    if (stored === undefined) return 'unknown';
    return stored.state === state ? 'unchanged' : 'final';
  }

  return {
    insert(record) {
      const { id, receivedAt } = record;
      const text = JSON.stringify(record);
      return commit(() =>
        insert.run(id, receivedAt, rememberedUntil(record), text).changes === 1 ? 'stored' : 'duplicate',
      );
    },
    has: async (id) => find.get(id) !== undefined,
    async find(id) {
      const found = find.get(id);
      return found === undefined ? null : toStored(found);
    },
    list: async (filter, after, limit) =>
      database
        .prepare(listSql(filter, after))
        .all(listValues(filter, after, limit))
        .map(toStored),
    settle: (id, state, at) => commit(() => write(id, state, at)),
    removeOld({ receivedBefore: received, deadlineBefore: deadline, openDeadlineBefore: open }, limit) {
      return commit(() => Number(remove.run({ received, deadline, open, limit }).changes));
    },
  };
}

function toStored({ record, state }: Record<string, SQLOutputValue>): StoredOrder {
  return {
    record: JSON.parse(record as string) as OrderRecord,
    state: JSON.parse(state as string) as OrderState,
  };
}
