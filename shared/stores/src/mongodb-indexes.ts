/** Indexes declared as data, and those of them that a database lacks. */
import { type Db, type Document, type IndexDescription, MongoServerError } from 'mongodb';
import { isDeepStrictEqual } from 'node:util';

/** A collection and the indexes that it must have. Released index definitions are not edited: a new one gets a new name. */
export interface CollectionIndexes {
  readonly collection: string;
  readonly indexes: readonly (IndexDescription & { readonly name: string })[];
}

/** The collections of which an index is missing, still being built, or different. */
export async function incomplete(
  db: Db,
  all: readonly CollectionIndexes[],
): Promise<readonly CollectionIndexes[]> {
  const found = await Promise.all(all.map(({ collection }) => indexesOf(db, collection)));
  return all.filter(({ indexes }, at) => !indexes.every((wanted) => found[at]!.some(isLike(wanted))));
}

/**
 * One that is being built has a `buildUUID`, without which it would look complete (MongoDB 4.2 and later,
 * src/mongo/db/list_indexes.idl).
 */
async function indexesOf(db: Db, collection: string): Promise<readonly Document[]> {
  try {
    const { cursor } = await db.command({ listIndexes: collection, includeBuildUUIDs: true });
    return (cursor as { firstBatch: readonly Document[] }).firstBatch;
  } catch (error) {
    // No such collection, or a server that does not know the option: it is asked to build them, which decides.
    if (error instanceof MongoServerError) return [];
    throw error;
  }
}

/** Exactly as declared, but for what every server adds: the version, and in old ones the collection. */
const isLike =
  (wanted: Document) =>
  ({ v: _version, ns: _collection, ...index }: Document): boolean =>
    isDeepStrictEqual(withOrder(index), withOrder(wanted));

/** The order of an index's fields matters, which an object's comparison would not see. */
const withOrder = ({ key, ...index }: Document): Document => ({
  ...index,
  key: Object.entries(key as object),
});
