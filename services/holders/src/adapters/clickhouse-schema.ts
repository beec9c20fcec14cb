/** Settings of every table. */
const DURABLE = 'fsync_after_insert = 1, fsync_part_directory = 1';

/**
 * The tables of an index in ClickHouse, one set a network. Rows are written as hexadecimal text and kept as bytes.
 *
 * What an instance writes twice, because it was killed between a range and its position or because two walked at once, is
 * the same rows: an insert that is repeated within the window is dropped by its token, any other when parts are merged,
 * and until then readers ask for distinct holders. Positions are only added: each is true when it is written, so the
 * furthest counts.
 *
 * Rows are sorted by token; a question about a holder of any token skips the parts of the table that its bloom filter rules
 * out.
 *
 * Each track is a partition, which is dropped with it. So is each export; what a killed process leaves expires.
 * Approvals are those of the track of all tokens, sorted by the owner, who is in every question about them.
 *
 * An insert is answered once its part is on disk, file and folder, so that no position outlives the rows before it when the
 * machine loses power. A merged part need not be: its sources stay for minutes.
 */
export function clickhouseSchema({
  touched,
  approved,
  positions,
  leases,
  wishes,
  reports,
  versions,
  exports,
}: ClickhouseTables): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${touched} (
      track LowCardinality(String),
      token_hex String EPHEMERAL,
      holder_hex String EPHEMERAL,
      id_hex String EPHEMERAL,
      token FixedString(20) DEFAULT unhex(token_hex),
      holder FixedString(20) DEFAULT unhex(holder_hex),
      id String DEFAULT unhex(id_hex),
      block UInt32,
      INDEX of_holder holder TYPE bloom_filter(0.01) GRANULARITY 1
    ) ENGINE = ReplacingMergeTree ORDER BY (token, holder, id, block) PARTITION BY track
    SETTINGS non_replicated_deduplication_window = 1000, ${DURABLE}`,
    `CREATE TABLE IF NOT EXISTS ${approved} (
      token_hex String EPHEMERAL,
      owner_hex String EPHEMERAL,
      spender_hex String EPHEMERAL,
      token FixedString(20) DEFAULT unhex(token_hex),
      owner FixedString(20) DEFAULT unhex(owner_hex),
      spender FixedString(20) DEFAULT unhex(spender_hex),
      kind UInt8,
      block UInt32
    ) ENGINE = ReplacingMergeTree ORDER BY (owner, token, spender, kind, block)
    SETTINGS non_replicated_deduplication_window = 1000, ${DURABLE}`,
    `CREATE TABLE IF NOT EXISTS ${positions} (
      track String, from_block UInt32, number UInt32, hash String
    ) ENGINE = ReplacingMergeTree(number) ORDER BY track PARTITION BY track SETTINGS ${DURABLE}`,
    `CREATE TABLE IF NOT EXISTS ${leases} (
      track String, holder String, until UInt64, status String, at UInt64
    ) ENGINE = ReplacingMergeTree(at) ORDER BY track SETTINGS ${DURABLE}`,
    `CREATE TABLE IF NOT EXISTS ${wishes} (
      track String, wish String, from_block UInt32, at UInt64
    ) ENGINE = ReplacingMergeTree(at) ORDER BY track SETTINGS ${DURABLE}`,
    `CREATE TABLE IF NOT EXISTS ${reports} (
      track String, report String, at UInt64
    ) ENGINE = ReplacingMergeTree(at) ORDER BY track SETTINGS ${DURABLE}`,
    `CREATE TABLE IF NOT EXISTS ${versions} (
      number UInt32
    ) ENGINE = ReplacingMergeTree ORDER BY number SETTINGS ${DURABLE}`,
    `CREATE TABLE IF NOT EXISTS ${exports} (
      export String, place UInt32, holder String, balance Nullable(String), error Nullable(String),
      at DateTime DEFAULT now()
    ) ENGINE = MergeTree ORDER BY place PARTITION BY export TTL at + INTERVAL 1 HOUR
    SETTINGS ttl_only_drop_parts = 1`,
  ];
}

/** The tables of a network. @param network as in the path, for instance `eth-mainnet` */
export function clickhouseTables(network: string) {
  const name = network.replaceAll('-', '_');
  return {
    touched: `touched_${name}`,
    approved: `approved_${name}`,
    positions: `touched_positions_${name}`,
    leases: `touched_leases_${name}`,
    wishes: `touched_wishes_${name}`,
    reports: `touched_reports_${name}`,
    versions: `touched_versions_${name}`,
    exports: `touched_exports_${name}`,
  };
}

export type ClickhouseTables = Readonly<ReturnType<typeof clickhouseTables>>;
