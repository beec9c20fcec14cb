import type { Migration } from '@hindsight/stores/sqlite.ts';

export const TOKEN_MIGRATIONS: readonly Migration[] = [
  {
    id: 'tokens-1',
    sql: `
      CREATE TABLE token (
        -- Its place in the list, from 0, without gaps.
        ordinal INTEGER PRIMARY KEY,
        address TEXT NOT NULL,
        block INTEGER NOT NULL,
        type TEXT NOT NULL,
        name TEXT NOT NULL,
        symbol TEXT NOT NULL,
        decimals INTEGER,
        look_at INTEGER,
        looks INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE UNIQUE INDEX token_by_address ON token (lower(address));
      CREATE INDEX token_by_look ON token (look_at) WHERE look_at IS NOT NULL;
      -- Places in the lists by type and by the beginning of a name or symbol: n is from 0, without gaps.
      CREATE TABLE place (
        list TEXT NOT NULL,
        n INTEGER NOT NULL,
        ordinal INTEGER NOT NULL,
        PRIMARY KEY (list, n)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE no_token (address TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
      CREATE TABLE checkpoint (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        from_block INTEGER NOT NULL,
        number INTEGER NOT NULL,
        hash TEXT NOT NULL,
        count INTEGER NOT NULL,
        version INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE lease (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        holder TEXT NOT NULL,
        until INTEGER NOT NULL,
        status TEXT NOT NULL
      ) STRICT;`,
  },
  {
    id: 'tokens-2',
    // Before this step there was one network only.
    sql: `
      CREATE TABLE network (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        name TEXT NOT NULL,
        chain_id INTEGER NOT NULL
      ) STRICT;
      INSERT INTO network (id, name, chain_id) SELECT 1, 'eth-mainnet', 1 FROM checkpoint;`,
  },
  {
    id: 'tokens-3',
    // Before this step no token was listed by the words in its name.
    sql: 'ALTER TABLE checkpoint ADD COLUMN words INTEGER NOT NULL DEFAULT 0;',
  },
];
