import type { Migration } from '@hindsight/stores/sqlite.ts';

export const ACCOUNT_MIGRATIONS: readonly Migration[] = [
  {
    id: 'accounts-1',
    sql: `
      CREATE TABLE account (
        id TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        data TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE account_login (
        login TEXT PRIMARY KEY,
        account_id TEXT NOT NULL REFERENCES account ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX account_login_account ON account_login (account_id);
      CREATE TABLE session (
        hash TEXT PRIMARY KEY,
        id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        signed_in_at INTEGER NOT NULL,
        seen_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        address TEXT NOT NULL,
        agent TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX session_user ON session (user_id, signed_in_at);
      CREATE INDEX session_expiry ON session (expires_at);
      CREATE TABLE ticket (
        kind TEXT NOT NULL,
        hash TEXT NOT NULL,
        owner TEXT NOT NULL,
        expires_at INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (kind, hash)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX ticket_owner ON ticket (kind, owner);
      CREATE INDEX ticket_expiry ON ticket (expires_at);
      CREATE TABLE tally (
        key TEXT NOT NULL,
        ends_at INTEGER NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (key, ends_at)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX tally_expiry ON tally (ends_at);
    `,
  },
  {
    id: 'accounts-2',
    sql: `
      CREATE TABLE claim (
        key TEXT PRIMARY KEY,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX claim_expiry ON claim (expires_at);
    `,
  },
];
