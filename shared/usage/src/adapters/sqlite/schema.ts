import type { Migration } from '@hindsight/stores/sqlite.ts';

/**
 * The tables of usage: a record for each project and month, its producers, and its days by endpoint, status and key. A producer is
 * called a lane here. `lost`, `usage_lane_life` and `lease_limit` are no longer used; they stay, so that the version
 * before can open the file too.
 */
export const USAGE_MIGRATIONS: readonly Migration[] = [
  {
    id: 'usage-1',
    sql: `
      CREATE TABLE usage_month (
        project TEXT NOT NULL,
        month TEXT NOT NULL,
        taken INTEGER NOT NULL DEFAULT 0,
        requests INTEGER NOT NULL DEFAULT 0,
        orders INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (project, month)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE usage_lane (
        lane TEXT NOT NULL,
        project TEXT NOT NULL,
        month TEXT NOT NULL,
        held INTEGER NOT NULL DEFAULT 0,
        revision INTEGER NOT NULL DEFAULT 0,
        counted INTEGER NOT NULL DEFAULT 0,
        applied INTEGER NOT NULL DEFAULT -1,
        PRIMARY KEY (lane, project, month)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE usage_day (
        project TEXT NOT NULL,
        day TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        requests INTEGER NOT NULL,
        PRIMARY KEY (project, day, endpoint)
      ) STRICT, WITHOUT ROWID;`,
  },
  {
    id: 'usage-2',
    sql: `
      ALTER TABLE usage_month ADD COLUMN settled INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE usage_lane ADD COLUMN orders INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE usage_lane ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX usage_month_by_month ON usage_month (month, project);
      CREATE INDEX usage_month_unsettled ON usage_month (settled, month);
      CREATE INDEX usage_lane_by_record ON usage_lane (project, month);
      CREATE TABLE usage_lane_life (
        lane TEXT NOT NULL PRIMARY KEY,
        state TEXT NOT NULL,
        renewed_at INTEGER,
        ended_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX usage_lane_life_by_state ON usage_lane_life (state, renewed_at);
      CREATE INDEX usage_lane_life_by_end ON usage_lane_life (ended_at);`,
  },
  {
    id: 'usage-3',
    sql: 'ALTER TABLE usage_month ADD COLUMN lease_limit INTEGER NOT NULL DEFAULT 0;',
  },
  {
    id: 'usage-4',
    sql: `
      CREATE TABLE usage_breakdown (
        project TEXT NOT NULL,
        day TEXT NOT NULL,
        breakdown TEXT NOT NULL,
        name TEXT NOT NULL,
        requests INTEGER NOT NULL,
        PRIMARY KEY (project, day, breakdown, name)
      ) STRICT, WITHOUT ROWID;`,
  },
  {
    // `claimed_until` is null once the event is published.
    id: 'usage-5',
    sql: `
      CREATE TABLE usage_alert (
        project TEXT NOT NULL,
        month TEXT NOT NULL,
        threshold INTEGER NOT NULL,
        requests INTEGER NOT NULL,
        monthly_limit INTEGER NOT NULL,
        at INTEGER NOT NULL,
        claimed_until INTEGER,
        PRIMARY KEY (project, month, threshold)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX usage_alert_waiting ON usage_alert (claimed_until) WHERE claimed_until IS NOT NULL;
      CREATE TABLE usage_thresholds (
        project TEXT NOT NULL PRIMARY KEY,
        thresholds TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;`,
  },
  {
    id: 'usage-6',
    sql: `
      CREATE TABLE usage_progress (
        id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
        counted_to INTEGER NOT NULL
      ) STRICT;`,
  },
];
