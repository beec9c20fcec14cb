/** The tables of the embedded index. */
import { INDEX_VERSION, refuseOtherVersion } from '../domain/index-version.ts';
import type { DuckdbSchema, DuckdbSession } from './duckdb-engine.ts';

/** Addresses and ids are bytes, so that they sort as numbers do. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS touched (
    token BLOB NOT NULL,
    holder BLOB NOT NULL,
    -- 32 bytes for an ERC-1155's id, none for other events.
    id BLOB NOT NULL,
    block UINTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS approved (
    token BLOB NOT NULL,
    owner BLOB NOT NULL,
    spender BLOB NOT NULL,
    -- The place in APPROVAL_KINDS.
    kind UTINYINT NOT NULL,
    block UINTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS position (
    track VARCHAR PRIMARY KEY,
    from_block UINTEGER NOT NULL,
    number UINTEGER NOT NULL,
    hash VARCHAR NOT NULL
  );
  CREATE TABLE IF NOT EXISTS version (number UINTEGER NOT NULL);`;

/** A file of another version is refused. */
export const SCHEMA: DuckdbSchema = { tables: TABLES, check: checkVersion };

/** @throws {OtherIndexVersion} */
async function checkVersion(session: DuckdbSession, path: string): Promise<void> {
  const [kept] = await session.read('SELECT number FROM version');
  const walked = await session.read('SELECT 1 FROM position LIMIT 1');
  const version = kept === undefined ? null : Number(kept[0]);
  refuseOtherVersion({ version, isEmpty: walked.length === 0 }, path);
  if (version === null) await session.run('INSERT INTO version VALUES ($1)', [INDEX_VERSION]);
}
