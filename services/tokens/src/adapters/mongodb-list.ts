import type { InSession } from '@hindsight/stores/mongodb-causal.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import type { Collection, Db, Filter } from 'mongodb';
import { listKey } from '../domain/lists.ts';
import type { Token } from '../domain/token.ts';
import type { Checkpoint, TokenList, TokenRows } from '../ports.ts';
import {
  positionId,
  positionOf,
  positionsOf,
  toCheckpoint,
  toToken,
  type PositionDocument,
  type TokenCollections,
  type TokenDocument,
} from './mongodb-documents.ts';

/** A query of the list: equality or a range on one index, in that index's order. */
interface Query<T> {
  readonly filter: Filter<T>;
  readonly sort: Readonly<Record<string, 1 | -1>>;
}

/** Every query of the list that is not for one document by its `_id`. */
export const LIST_QUERIES = {
  all: (first: number, end: number): Query<TokenDocument> => ({
    filter: { ordinal: { $gte: first, $lt: end } },
    sort: { ordinal: 1 },
  }),
  ordinals: (ordinals: readonly number[]): Query<TokenDocument> => ({
    filter: { ordinal: { $in: [...ordinals] } },
    sort: { ordinal: 1 },
  }),
  listed: (list: string, first: number, end: number): Query<PositionDocument> => ({
    filter: { _id: { $gte: positionId(list, first), $lt: positionId(list, end) } },
    sort: { _id: 1 },
  }),
  /** The last position as of a log entry; positions after it are few, and belong to an unfinished entry. */
  last: (list: string, entry: number): Query<PositionDocument> => ({
    filter: { _id: positionsOf(list), entry: { $lte: entry } },
    sort: { _id: -1 },
  }),
} as const;

/** The length of a list, as of a log entry. */
export async function listSize(
  positions: Collection<PositionDocument>,
  list: string,
  entry: number,
  session: InSession = {},
): Promise<number> {
  const { filter, sort } = LIST_QUERIES.last(list, entry);
  const [last] = await positions.find(filter, session).sort(sort).limit(1).toArray();
  return last === undefined ? 0 : positionOf(last._id) + 1;
}

export async function readCheckpoint(
  collections: TokenCollections,
  db: Db,
  session: InSession = {},
): Promise<Checkpoint | null> {
  const found = await collections.checkpoint(db).findOne({ _id: 'checkpoint' }, session);
  return found === null ? null : toCheckpoint(found);
}

export function createMongodbList(store: MongoStore, collections: TokenCollections): TokenList {
  return {
    checkpoint: () => store.run((db) => readCheckpoint(collections, db)),
    page(filter, first, limit) {
      const list = listKey(filter);
      return store.run((db) =>
        list === null
          ? pageOfAll(collections, db, first, limit)
          : pageOf(collections, db, list, { first, limit }),
      );
    },
    find: (address) =>
      store.run(async (db) => {
        const [checkpoint, found] = await Promise.all([
          readCheckpoint(collections, db),
          collections.tokens(db).findOne({ _id: address.toLowerCase() }),
        ]);
        return found !== null && found.ordinal < (checkpoint?.count ?? 0) ? toToken(found) : null;
      }),
    lease: () =>
      store.run(async (db) => {
        const found = await collections.lease(db).findOne({ _id: 'lease' });
        if (found === null) return null;
        const { holder, until, status } = found;
        return { holder, until, status };
      }),
  };
}

async function pageOfAll(
  collections: TokenCollections,
  db: Db,
  first: number,
  limit: number,
): Promise<TokenRows> {
  // Read before the tokens, which exist before the checkpoint counts them.
  const total = (await readCheckpoint(collections, db))?.count ?? 0;
  const { filter, sort } = LIST_QUERIES.all(first, Math.min(first + limit, total));
  const found = await collections.tokens(db).find(filter).sort(sort).limit(limit).toArray();
  return { total, tokens: found.map(toToken) };
}

async function pageOf(
  collections: TokenCollections,
  db: Db,
  list: string,
  { first, limit }: { readonly first: number; readonly limit: number },
): Promise<TokenRows> {
  const positions = collections.positions(db);
  const checkpoint = await readCheckpoint(collections, db);
  if (checkpoint === null) return { total: 0, tokens: [] };
  const { filter, sort } = LIST_QUERIES.listed(list, first, first + limit);
  const [total, found] = await Promise.all([
    listSize(positions, list, checkpoint.version),
    positions.find(filter).sort(sort).limit(limit).toArray(),
  ]);
  const ordinals = found.filter(({ _id }) => positionOf(_id) < total).map(({ ordinal }) => ordinal);
  return { total, tokens: ordinals.length === 0 ? [] : await tokensAt(collections, db, ordinals) };
}

async function tokensAt(
  collections: TokenCollections,
  db: Db,
  ordinals: readonly number[],
): Promise<Token[]> {
  const { filter, sort } = LIST_QUERIES.ordinals(ordinals);
  const found = await collections.tokens(db).find(filter).sort(sort).limit(ordinals.length).toArray();
  const byOrdinal = new Map(found.map((document) => [document.ordinal, toToken(document)]));
  return ordinals.flatMap((ordinal) => byOrdinal.get(ordinal) ?? []);
}
