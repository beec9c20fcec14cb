import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';

/** Longer than a list of a million holders takes to begin. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Connects when it is first used. Faults are thrown, and logged by who has them: the client has a console of its own. */
export function connectClickhouse(url: string): ClickHouseClient {
  return createClient({
    url,
    application: 'hindsight-holders',
    request_timeout: REQUEST_TIMEOUT_MS,
    log: { level: ClickHouseLogLevel.OFF },
  });
}
