import type { MongoStore } from '@hindsight/shared/stores/mongodb.ts';
import type { Collection, Db, Filter } from 'mongodb';
import { listKey } from '../domain/lists.ts';
import type { Token } from '../domain/token.ts';
import type { Checkpoint, TokenList, TokenRows } from '../ports.ts';
import {
  COLLECTIONS,
  placeId,
  placeNumber,
  placesOf,
  toCheckpoint,
  toToken,
  type CheckpointDocument,
  type LeaseDocument,
  type PlaceDocument,
  type TokenDocument,
} from './mongodb-documents.ts';

/** A question of the list: equality or a range on one index, in that index's order. */
interface Question<T> {
  readonly filter: Filter<T>;
  readonly sort: Readonly<Record<string, 1 | -1>>;
}

/** Every question of the list that is not for one document by its `_id`. */
export const LIST_QUESTIONS = {
  all: (first: number, end: number): Question<TokenDocument> => ({
    filter: { ordinal: { $gte: first, $lt: end } },
    sort: { ordinal: 1 },
  }),
  ordinals: (ordinals: readonly number[]): Question<TokenDocument> => ({
    filter: { ordinal: { $in: [...ordinals] } },
    sort: { ordinal: 1 },
  }),
  listed: (list: string, first: number, end: number): Question<PlaceDocument> => ({
    filter: { _id: { $gte: placeId(list, first), $lt: placeId(list, end) } },
    sort: { _id: 1 },
  }),
  /** The last place that the log up to an entry knows; those after it are few, and of an entry under way. */
  last: (list: string, entry: number): Question<PlaceDocument> => ({
    filter: { _id: placesOf(list), entry: { $lte: entry } },
    sort: { _id: -1 },
  }),
} as const;

/** How many places a list has, as of a log entry. */
export async function listSize(
  places: Collection<PlaceDocument>,
  list: string,
  entry: number,
): Promise<number> {
  const { filter, sort } = LIST_QUESTIONS.last(list, entry);
  const [last] = await places.find(filter).sort(sort).limit(1).toArray();
  return last === undefined ? 0 : placeNumber(last._id) + 1;
}

/** The checkpoint as it is stored. */
export async function readCheckpoint(db: Db): Promise<Checkpoint | null> {
  const found = await db.collection<CheckpointDocument>(COLLECTIONS.state).findOne({ _id: 'checkpoint' });
  return found === null ? null : toCheckpoint(found);
}

/** Reads the list in MongoDB. */
export function createMongodbList(store: MongoStore): TokenList {
  return {
    checkpoint: () => store.run(readCheckpoint),
    page(filter, first, limit) {
      const list = listKey(filter);
      return store.run((db) =>
        list === null ? pageOfAll(db, first, limit) : pageOf(db, list, first, limit),
      );
    },
    find: (address) =>
      store.run(async (db) => {
        const tokens = db.collection<TokenDocument>(COLLECTIONS.tokens);
        const [checkpoint, found] = await Promise.all([
          readCheckpoint(db),
          tokens.findOne({ _id: address.toLowerCase() }),
        ]);
        return found !== null && found.ordinal < (checkpoint?.count ?? 0) ? toToken(found) : null;
      }),
    lease: () =>
      store.run(async (db) => {
        const found = await db.collection<LeaseDocument>(COLLECTIONS.state).findOne({ _id: 'lease' });
        if (found === null) return null;
        const { holder, until, status } = found;
        return { holder, until, status };
      }),
  };
}

async function pageOfAll(db: Db, first: number, limit: number): Promise<TokenRows> {
  // Before the tokens, which are there before the checkpoint counts them.
  const total = (await readCheckpoint(db))?.count ?? 0;
  const tokens = db.collection<TokenDocument>(COLLECTIONS.tokens);
  const { filter, sort } = LIST_QUESTIONS.all(first, Math.min(first + limit, total));
  const found = await tokens.find(filter).sort(sort).limit(limit).toArray();
  return { total, tokens: found.map(toToken) };
}

async function pageOf(db: Db, list: string, first: number, limit: number): Promise<TokenRows> {
  const places = db.collection<PlaceDocument>(COLLECTIONS.places);
  const checkpoint = await readCheckpoint(db);
  if (checkpoint === null) return { total: 0, tokens: [] };
  const { filter, sort } = LIST_QUESTIONS.listed(list, first, first + limit);
  const [total, found] = await Promise.all([
    listSize(places, list, checkpoint.version),
    places.find(filter).sort(sort).limit(limit).toArray(),
  ]);
  const ordinals = found.filter(({ _id }) => placeNumber(_id) < total).map(({ ordinal }) => ordinal);
  return { total, tokens: ordinals.length === 0 ? [] : await tokensOf(db, ordinals) };
}

async function tokensOf(db: Db, ordinals: readonly number[]): Promise<Token[]> {
  const { filter, sort } = LIST_QUESTIONS.ordinals(ordinals);
  const found = await db
    .collection<TokenDocument>(COLLECTIONS.tokens)
    .find(filter)
    .sort(sort)
    .limit(ordinals.length)
    .toArray();
  const byOrdinal = new Map(found.map((document) => [document.ordinal, toToken(document)]));
  return ordinals.flatMap((ordinal) => byOrdinal.get(ordinal) ?? []);
}
