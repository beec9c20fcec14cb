/**
 * The tables of an index in ClickHouse, one set a network. Rows are written as hexadecimal text and kept as bytes.
 *
 * What an instance writes twice, because it was killed between a range and its position or because two walked at once, is
 * the same rows: an insert that is repeated within the window is dropped by its token, any other when parts are merged,
 * and until then readers ask for distinct holders. Positions are only added: each is true when it is written, so the
 * furthest counts.
 */
export function clickhouseSchema({ touched, positions, leases }: ClickhouseTables): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${touched} (
      token_hex String EPHEMERAL,
      holder_hex String EPHEMERAL,
      id_hex String EPHEMERAL,
      token FixedString(20) DEFAULT unhex(token_hex),
      holder FixedString(20) DEFAULT unhex(holder_hex),
      id String DEFAULT unhex(id_hex),
      block UInt32
    ) ENGINE = ReplacingMergeTree ORDER BY (token, holder, id, block)
    SETTINGS non_replicated_deduplication_window = 1000`,
    `CREATE TABLE IF NOT EXISTS ${positions} (
      track String, from_block UInt32, number UInt32, hash String
    ) ENGINE = ReplacingMergeTree(number) ORDER BY track`,
    `CREATE TABLE IF NOT EXISTS ${leases} (
      track String, holder String, until UInt64, status String, at UInt64
    ) ENGINE = ReplacingMergeTree(at) ORDER BY track`,
  ];
}

/** The names of the tables. */
export interface ClickhouseTables {
  readonly touched: string;
  readonly positions: string;
  readonly leases: string;
}

/** The tables of a network. @param network as in the path, for instance `eth-mainnet` */
export function clickhouseTables(network: string): ClickhouseTables {
  const name = network.replaceAll('-', '_');
  return {
    touched: `touched_${name}`,
    positions: `touched_positions_${name}`,
    leases: `touched_leases_${name}`,
  };
}
