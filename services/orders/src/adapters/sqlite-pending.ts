import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { DatabaseSync } from 'node:sqlite';
import type { OrderRecord } from '../domain/order-event.ts';
import type { PendingOrder, PendingOrders } from '../ports.ts';
import type { Commit } from './group-commit.ts';

export function createSqlitePending(database: DatabaseSync, commit: Commit): PendingOrders {
  const insert = database.prepare(
    `INSERT INTO orders_unproven (claim, due_at, attempts, digest, record) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (claim) DO NOTHING`,
  );
  const due = database.prepare(
    `SELECT * FROM orders_unproven WHERE due_at <= :own
      AND (due_at <= :others OR record ->> '$.payload.chainId' IN (SELECT value FROM json_each(:chainIds)))
      ORDER BY due_at LIMIT :limit`,
  );
  const take = database.prepare(
    'UPDATE orders_unproven SET due_at = ?, attempts = attempts + 1 WHERE claim = ?',
  );
  const postpone = database.prepare('UPDATE orders_unproven SET due_at = ? WHERE claim = ?');
  const remove = database.prepare('DELETE FROM orders_unproven WHERE claim = ?');
  return {
    add({ claim, digest, attempts, ...record }, dueAt) {
      const text = JSON.stringify(record);
      return commit(() =>
        insert.run(claim, dueAt, attempts, digest, text).changes === 1 ? 'stored' : 'duplicate',
      );
    },
    async takeDue({ chainIds, own, others }, until, limit) {
      const by = { own, others, chainIds: JSON.stringify(chainIds) };
      // Asked several times a second: where nothing is due, no other writer waits.
      if (due.get({ ...by, limit: 1 }) === undefined) return [];
      return inTransaction(database, () => {
        const rows = due.all({ ...by, limit });
        for (const { claim } of rows) take.run(until, claim as string);
        return rows.map(({ claim, digest, attempts, record }): PendingOrder => ({
          ...(JSON.parse(record as string) as OrderRecord),
          claim: claim as string,
          digest: digest as string,
          attempts: (attempts as number) + 1,
        }));
      });
    },
    postpone: (claim, dueAt) => commit(() => void postpone.run(dueAt, claim)),
    remove: (claim) => commit(() => void remove.run(claim)),
  };
}
