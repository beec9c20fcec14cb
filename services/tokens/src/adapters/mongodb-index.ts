import type { IndexLease } from '@hindsight/indexing/lease.ts';
import { CheckpointConflict } from '@hindsight/indexing/position.ts';
import { freeAt } from '@hindsight/stores/leases.ts';
import { inCausalOrder, type InSession, type RunCausally } from '@hindsight/stores/mongodb-causal.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import { ifDuplicate, isDuplicate, isWritten } from '@hindsight/stores/mongodb-errors.ts';
import type { Collection, Db } from 'mongodb';
import type { Checkpoint, IndexedRange, NewLook, TokenIndex } from '../ports.ts';
import {
  toToken,
  type LeaseDocument,
  type LoggedLook,
  type LogDocument,
  type OtherDocument,
  type TokenCollections,
} from './mongodb-documents.ts';
import { createMongodbList, LIST_QUERIES, readCheckpoint } from './mongodb-list.ts';
import { Projection } from './mongodb-projection.ts';
import { refuseAnother, type NetworkMark } from './network-mark.ts';
import { afterLooks, afterRange, afterWords, expectSame } from './next-checkpoint.ts';

/**
 * The token index of a network in MongoDB; the indexes of its collections are `indexesOf`. An indexer works in causal order: positions that it could
 * not see after an election would be given twice. To claim the lease is a write, so what follows sees all that the
 * indexer before has written.
 */
export function createMongodbIndex(store: MongoStore, collections: TokenCollections): TokenIndex {
  const run = inCausalOrder(store);
  return {
    ...createMongodbList(store, collections),
    ...changesOf(run, collections),
    unseen: (addresses) => run((db, session) => unseen(collections, db, { addresses, session })),
    due: (time, limit) =>
      run(async (db, session) => {
        const due = collections
          .tokens(db)
          .find({ lookAt: { $lte: time } }, session)
          .sort({ lookAt: 1, ordinal: 1 })
          .limit(limit);
        return (await due.toArray()).map((document) => ({ token: toToken(document), looks: document.looks }));
      }),
    claim: (lease, now) => run((db, session) => claim(collections.lease(db), lease, { now, session })),
    release: (holder) =>
      run(async (db, session) => {
        await collections.lease(db).updateOne({ _id: 'lease', holder }, { $set: { until: 0 } }, session);
      }),
  };
}

async function unseen(
  collections: TokenCollections,
  db: Db,
  { addresses, session }: { readonly addresses: readonly string[]; readonly session: InSession },
): Promise<readonly string[]> {
  const of = { filter: { _id: { $in: [...addresses] } }, options: { projection: { _id: 1 }, ...session } };
  const [tokens, others] = await Promise.all([
    collections.tokens(db).find(of.filter, of.options).toArray(),
    collections.others(db).find(of.filter, of.options).toArray(),
  ]);
  const seen = new Set([...tokens, ...others].map(({ _id }) => _id));
  return addresses.filter((address) => !seen.has(address));
}

async function claim(
  leases: Collection<LeaseDocument>,
  { holder, until, status }: IndexLease,
  { now, session }: { readonly now: number; readonly session: InSession },
): Promise<boolean> {
  const free = { _id: 'lease' as const, $or: [{ holder }, { until: freeAt(now) }] };
  const write = leases.updateOne(free, { $set: { holder, until, status } }, { upsert: true, ...session });
  // A duplicate: the lease exists and is held by another instance.
  return isWritten(write);
}

function changesOf(
  run: RunCausally,
  collections: TokenCollections,
): Pick<TokenIndex, 'resume' | 'append' | 'addWords' | 'noteLooks'> {
  const projection = new Projection(run, collections);

  async function resume(): Promise<Checkpoint | null> {
    for (;;) {
      const checkpoint = await stored();
      const next = (checkpoint?.version ?? 0) + 1;
      const entry = await run((db, session) => collections.log(db).findOne({ _id: next }, session));
      if (entry === null) return checkpoint;
      await finish(checkpoint, { ...entry, to: whereTo(checkpoint, entry) });
    }
  }

  async function append(base: Checkpoint | null, range: IndexedRange): Promise<Checkpoint> {
    expectSame(base, await stored());
    const to = afterRange(base, range);
    const { tokens, others } = range;
    await noteOthers(others);
    if (tokens.length === 0) return moveTo(base, to);
    return add(base, { _id: to.version, to, first: base?.count ?? 0, tokens, looks: [] });
  }

  async function noteLooks(base: Checkpoint, looks: readonly NewLook[]): Promise<Checkpoint> {
    expectSame(base, await stored());
    const to = afterLooks(base);
    const ids = looks.map(({ address }) => address.toLowerCase());
    const known = await run((db, session) =>
      collections
        .tokens(db)
        .find({ _id: { $in: ids } }, session)
        .toArray(),
    );
    const byId = new Map(known.map((document) => [document._id, document]));
    const logged = looks.map(({ address, names, lookAt }): LoggedLook => {
      const document = byId.get(address.toLowerCase());
      if (document === undefined) throw new Error(`${address} is not listed`);
      return { ordinal: document.ordinal, token: toToken(document), names, lookAt };
    });
    return add(base, { _id: to.version, to, first: base.count, tokens: [], looks: logged });
  }

  async function addWords(base: Checkpoint, limit: number): Promise<Checkpoint> {
    expectSame(base, await stored());
    const to = afterWords(base, limit);
    const { filter, sort } = LIST_QUERIES.all(base.words, to.words);
    const documents = await run((db, session) =>
      collections.tokens(db).find(filter, session).sort(sort).limit(limit).toArray(),
    );
    const words = documents.map((document) => ({ ordinal: document.ordinal, token: toToken(document) }));
    return add(base, { _id: to.version, to, first: base.count, tokens: [], looks: [], words });
  }

  function stored(): Promise<Checkpoint | null> {
    return run((db, session) => readCheckpoint(collections, db, session));
  }

  /** The atomic step: of two that add an entry with the same number, one fails. */
  async function add(base: Checkpoint | null, entry: LogDocument): Promise<Checkpoint> {
    try {
      await run((db, session) => collections.log(db).insertOne(entry, session));
    } catch (error) {
      throw isDuplicate(error) ? new CheckpointConflict() : error;
    }
    return finish(base, entry);
  }

  async function finish(base: Checkpoint | null, entry: LogDocument): Promise<Checkpoint> {
    await projection.project(entry);
    const checkpoint = await moveTo(base, entry.to);
    // Covered content need not be kept twice; the number stays, so that it is never used again.
    const covered = { _id: { $lt: entry._id, $gte: entry._id - 2 } };
    const emptied = { $set: { tokens: [], looks: [], words: [] } };
    await run((db, session) => collections.log(db).updateMany(covered, emptied, session));
    return checkpoint;
  }

  async function moveTo(base: Checkpoint | null, to: Checkpoint): Promise<Checkpoint> {
    const moved = await run(async (db, session) => {
      const state = collections.checkpoint(db);
      if (base !== null) {
        const { version, number } = base;
        const same = { _id: 'checkpoint', version, number } as const;
        const { matchedCount } = await state.updateOne(same, { $set: to }, session);
        return matchedCount === 1;
      }
      const write = state.insertOne({ _id: 'checkpoint', ...to }, session);
      return isWritten(write);
    });
    if (!moved) throw new CheckpointConflict();
    return to;
  }

  async function noteOthers(others: readonly string[]): Promise<void> {
    if (others.length === 0) return;
    const documents = others.map((_id): OtherDocument => ({ _id }));
    const write = run((db, session) =>
      collections.others(db).insertMany(documents, { ordered: false, ...session }),
    );
    await ifDuplicate(write, () => undefined);
  }

  return { resume, append, addWords, noteLooks };
}

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

/**
 * The checkpoint that an unfinished entry leads to. Looks do not depend on blocks: the checkpoint may have advanced to
 * later blocks, without tokens, before their entry came. Tokens in blocks that it has passed belong to another chain.
 */
function whereTo(checkpoint: Checkpoint | null, { _id, to, first, tokens }: LogDocument): Checkpoint {
  if (checkpoint === null) return to;
  const follows = tokens.every(({ blockHeight }) => blockHeight > checkpoint.number);
  if (first === checkpoint.count && follows)
    return tokens.length > 0 ? to : { ...checkpoint, version: _id, words: to.words };
  throw new Error(
    `entry ${_id} of the token log does not follow block ${checkpoint.number}: remove the index`,
  );
}
