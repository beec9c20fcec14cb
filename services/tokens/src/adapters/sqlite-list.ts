import type { DatabaseSync } from 'node:sqlite';
import { listKey, type ListFilter } from '../domain/lists.ts';
import type { TokenList, TokenRows } from '../ports.ts';
import { toCheckpoint, toLease, toToken } from './sqlite-rows.ts';

/** Every query of the list, each by equality or a range on one index. */
export const LIST_QUERIES = {
  checkpoint: 'SELECT from_block AS "from", number, hash, count, version, words FROM checkpoint WHERE id = 1',
  lease: 'SELECT * FROM lease WHERE id = 1',
  find: 'SELECT * FROM token WHERE lower(address) = ?',
  all: 'SELECT * FROM token WHERE ordinal >= ? AND ordinal < ? ORDER BY ordinal',
  size: 'SELECT n + 1 AS size FROM place WHERE list = ? ORDER BY n DESC LIMIT 1',
  listed: `SELECT token.* FROM place CROSS JOIN token ON token.ordinal = place.ordinal
    WHERE place.list = ? AND place.n >= ? AND place.n < ? ORDER BY place.n`,
} as const;

export function createSqliteList(database: DatabaseSync): TokenList {
  const checkpoint = database.prepare(LIST_QUERIES.checkpoint);
  const lease = database.prepare(LIST_QUERIES.lease);
  const find = database.prepare(LIST_QUERIES.find);
  const all = database.prepare(LIST_QUERIES.all);
  const size = database.prepare(LIST_QUERIES.size);
  const listed = database.prepare(LIST_QUERIES.listed);

  const pageOfAll = (first: number, limit: number): TokenRows => {
    const total = toCheckpoint(checkpoint.get())?.count ?? 0;
    return { total, tokens: first < total ? all.all(first, first + limit).map(toToken) : [] };
  };
  const pageOf = (list: string, first: number, limit: number): TokenRows => {
    const total = (size.get(list)?.size as number | undefined) ?? 0;
    return { total, tokens: first < total ? listed.all(list, first, first + limit).map(toToken) : [] };
  };
  return {
    checkpoint: async () => toCheckpoint(checkpoint.get()),
    lease: async () => toLease(lease.get()),
    async page(filter: ListFilter, first, limit) {
      const list = listKey(filter);
      return list === null ? pageOfAll(first, limit) : pageOf(list, first, limit);
    },
    async find(address) {
      const row = find.get(address.toLowerCase());
      return row === undefined ? null : toToken(row);
    },
  };
}
