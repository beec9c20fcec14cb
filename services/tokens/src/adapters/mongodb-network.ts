import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import { ifDuplicate } from '@hindsight/stores/mongodb-errors.ts';
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
    const write = networks.insertOne({ _id: 'network', name, chainId }).then(() => null);
    return ifDuplicate(write, () => networks.findOne({ _id: 'network' }));
  });
  if (stored !== null) refuseAnother(`MongoDB (${collections.names.state})`, stored, { name, chainId });
}
