import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import { isDuplicate } from '@hindsight/stores/mongodb-errors.ts';
import type { TokenCollections } from './mongodb-documents.ts';
import { refuseAnother, type NetworkMark } from './network-mark.ts';

/** Marks the collections as those of a network. @throws {Error} where they are another's */
export async function markMongodb(
  store: MongoStore,
  collections: TokenCollections,
  { name, chainId }: NetworkMark,
): Promise<void> {
  const stored = await store.run(async (db) => {
    const networks = collections.network(db);
    try {
      await networks.insertOne({ _id: 'network', name, chainId });
      return null;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return networks.findOne({ _id: 'network' });
    }
  });
  if (stored !== null) refuseAnother(`MongoDB (${collections.names.state})`, stored, { name, chainId });
}
