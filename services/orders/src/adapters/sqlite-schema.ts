import type { Migration } from '@hindsight/stores/sqlite.ts';
import { LIST_SCHEMA } from './sqlite-list.ts';

/** The tables of orders, of their outbox, and of pending orders. `orders_unproven` is the released name of the pending ones. */
export const ORDER_MIGRATIONS: readonly Migration[] = [
  {
    id: 'orders-1',
    sql: `
      CREATE TABLE orders (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        received_at INTEGER NOT NULL,
        deadline INTEGER NOT NULL,
        sent INTEGER NOT NULL DEFAULT 0,
        record TEXT NOT NULL
      ) STRICT;
      CREATE INDEX orders_unsent ON orders (position) WHERE sent = 0;
      CREATE INDEX orders_old ON orders (received_at) WHERE sent = 1;
      CREATE TABLE orders_outbox (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        source TEXT NOT NULL,
        relay TEXT,
        leads_until INTEGER NOT NULL DEFAULT 0,
        batch_number INTEGER NOT NULL DEFAULT 0,
        batch_ids TEXT,
        first_sequence INTEGER NOT NULL DEFAULT 0,
        next_sequence INTEGER NOT NULL DEFAULT 1
      ) STRICT;
      CREATE TABLE orders_unproven (
        claim TEXT PRIMARY KEY,
        due_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        digest TEXT NOT NULL,
        record TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX orders_unproven_due ON orders_unproven (due_at);`,
  },
  {
    id: 'orders-2-sequence',
    sql: `
      ALTER TABLE orders ADD COLUMN sequence INTEGER;
      CREATE INDEX orders_sequence ON orders (sequence) WHERE sequence IS NOT NULL;`,
  },
  {
    id: 'orders-3-state',
    sql: `ALTER TABLE orders ADD COLUMN state TEXT NOT NULL DEFAULT '{"status":"open"}';`,
  },
  { id: 'orders-4-lists', sql: LIST_SCHEMA },
  {
    id: 'orders-5-watch',
    sql: `
      ALTER TABLE orders ADD COLUMN clear_at INTEGER;
      ALTER TABLE orders ADD COLUMN look_at INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX orders_due ON orders (network, look_at) WHERE sent = 1;
      CREATE INDEX orders_swapper ON orders (network, swapper, look_at);
      CREATE TABLE orders_watch (
        network TEXT PRIMARY KEY,
        from_block INTEGER,
        number INTEGER,
        hash TEXT,
        moved_at INTEGER,
        holder TEXT,
        until INTEGER NOT NULL DEFAULT 0,
        status TEXT
      ) STRICT, WITHOUT ROWID;`,
  },
  {
    id: 'orders-6-settled',
    sql: `
      ALTER TABLE orders ADD COLUMN settled_at INTEGER;
      ALTER TABLE orders ADD COLUMN settled_sent INTEGER;
      ALTER TABLE orders ADD COLUMN settled_sequence INTEGER;
      CREATE INDEX orders_settled_unsent ON orders (settled_at) WHERE settled_sent = 0;
      CREATE INDEX orders_settled_sequence ON orders (settled_sequence) WHERE settled_sequence IS NOT NULL;`,
  },
  {
    id: 'orders-7-seen',
    sql: `CREATE INDEX orders_seen ON orders (network) WHERE json_extract(state, '$.fill') IS NOT NULL;`,
  },
];
