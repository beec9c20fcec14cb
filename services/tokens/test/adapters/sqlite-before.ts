import type { DatabaseSync } from 'node:sqlite';
import type { Checkpoint } from '../../src/ports.ts';
import type { RowsAsBefore } from './index.fixtures.contract.ts';

/** Writes an index into a database as versions up to 0.2.0 did. */
export function writeAsBefore(
  database: DatabaseSync,
  { from, number, hash, count, version }: Omit<Checkpoint, 'words'>,
  { tokens, positions }: RowsAsBefore,
): void {
  const run = (sql: string, ...values: (string | number | null)[]): void =>
    void database.prepare(sql).run(...values);
  for (const [ordinal, { address, blockHeight, type, name, symbol, decimals }] of tokens.entries())
    run(
      'INSERT INTO token (ordinal, address, block, type, name, symbol, decimals) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[ordinal, address, blockHeight, type, name, symbol, decimals],
    );
  for (const { list, n, ordinal } of positions)
    run('INSERT INTO place (list, n, ordinal) VALUES (?, ?, ?)', list, n, ordinal);
  run(
    'INSERT INTO checkpoint (id, from_block, number, hash, count, version) VALUES (1, ?, ?, ?, ?, ?)',
    ...[from, number, hash, count, version],
  );
}
