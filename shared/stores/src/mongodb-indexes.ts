/** Indexes declared as data, and those of them that a database lacks. */
import { type Db, type Document, type IndexDescription, MongoServerError } from 'mongodb';
import { isDeepStrictEqual } from 'node:util';

/** A collection and the indexes that it must have. Released index definitions are not edited: a new one gets a new name. */
export interface CollectionIndexes {
  readonly collection: string;
  readonly indexes: readonly (IndexDescription & { readonly name: string })[];
}

/** The collections whose indexes are not all there: one is missing, still being built, or different. */
export async function lackingIndexes(
  db: Db,
  all: readonly CollectionIndexes[],
): Promise<readonly CollectionIndexes[]> {
  const found = await Promise.all(all.map(({ collection }) => indexesOf(db, collection)));
  return all.filter(
    ({ indexes }, at) => !indexes.every((wanted) => found[at]!.some((index) => isSame(index, wanted))),
  );
}

/**
 * The indexes of a collection. One that is being built comes as `{ spec, buildUUID }`; without the option it would look
 * complete (MongoDB 4.2 and later, src/mongo/db/commands/list_indexes.cpp).
 */
async function indexesOf(db: Db, collection: string): Promise<readonly Document[]> {
  try {
    const { cursor } = await db.command({ listIndexes: collection, includeBuildUUIDs: true });
    return (cursor as { firstBatch: readonly Document[] }).firstBatch;
  } catch (error) {
    // No such collection, or a server that does not know the option: `createIndexes` decides.
    if (error instanceof MongoServerError) return [];
    throw error;
  }
}

/** Exactly as declared. Each server adds the version, and an old one the collection. */
function isSame({ v: _version, ns: _collection, ...index }: Document, wanted: Document): boolean {
  return isDeepStrictEqual(index, wanted) && fieldsOf(index).join() === fieldsOf(wanted).join();
}

/** In their order, which a comparison of objects does not see. */
const fieldsOf = ({ key }: Document): readonly string[] => Object.keys(key as object);
