/** The tables of the embedded index. Addresses and ids are bytes, so that they sort as numbers do. */
export const SCHEMA = `
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
  );`;
