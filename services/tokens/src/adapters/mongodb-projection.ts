/** Projects entries of the log. The result of an entry is always the same, so a repeat changes nothing. */
import { partsOf } from '@hindsight/kernel/parts.ts';
import type { InSession, RunCausally } from '@hindsight/stores/mongodb-causal.ts';
import { ifDuplicate } from '@hindsight/stores/mongodb-errors.ts';
import { LRUCache } from 'lru-cache';
import type { Collection, OptionalUnlessRequiredId } from 'mongodb';
import { listsGained, listsOf, wordListsOf } from '../domain/lists.ts';
import {
  positionId,
  type LogDocument,
  type PositionDocument,
  type TokenCollections,
  type TokenDocument,
} from './mongodb-documents.ts';
import { listSize } from './mongodb-list.ts';

/** Documents in one write. */
const BATCH = 1_000;
/** Concurrent queries. */
const CONCURRENT = 16;
/** Sizes of lists that are cached between entries. */
const MAX_SIZES = 200_000;

/** A document that belongs to a token. */
interface Ordered {
  readonly _id: string;
  readonly ordinal: number;
}

export class Projection {
  readonly #run: RunCausally;
  readonly #collections: TokenCollections;
  /** Sizes of lists as of `#entry`. */
  readonly #sizes = new LRUCache<string, number>({ max: MAX_SIZES });
  #entry = -1;

  constructor(run: RunCausally, collections: TokenCollections) {
    this.#run = run;
    this.#collections = collections;
  }

  /** Writes what follows from an entry, all entries before it having been projected. */
  async project(entry: LogDocument): Promise<void> {
    if (this.#entry !== entry._id - 1) this.#sizes.clear();
    this.#entry = -1;
    const additions = [
      ...entry.tokens.map((token, i) => ({ ordinal: entry.first + i, lists: listsOf(token) })),
      ...entry.looks.map(({ ordinal, token, names }) => ({ ordinal, lists: listsGained(token, names) })),
      ...(entry.words ?? []).map(({ ordinal, token }) => ({ ordinal, lists: wordListsOf(token) })),
    ];
    const sizes = await this.#readSizes(new Set(additions.flatMap(({ lists }) => lists)), entry._id - 1);
    const positions = additions.flatMap(({ ordinal, lists }) =>
      lists.map((list): PositionDocument => ({ _id: nextPosition(sizes, list), ordinal, entry: entry._id })),
    );
    await this.#insert<PositionDocument>(this.#collections.names.positions, positions);
    await this.#insert<TokenDocument>(this.#collections.names.tokens, toDocuments(entry));
    await this.#setNames(entry);
    for (const [list, size] of sizes) this.#sizes.set(list, size);
    this.#entry = entry._id;
  }

  /**
   * The sizes of these lists as of an entry. They are kept only once the next entry has been projected: reads that are still
   * under way after another has failed write to a map that is discarded.
   */
  async #readSizes(lists: ReadonlySet<string>, entry: number): Promise<Map<string, number>> {
    const sizes = new Map([...lists].map((list) => [list, this.#sizes.get(list) ?? 0]));
    const unknown = [...lists].filter((list) => !this.#sizes.has(list));
    const existing: string[] = [];
    // Most lists are still empty: one query finds the first positions of many lists.
    for (const batch of partsOf(unknown, BATCH)) {
      const first = { _id: { $in: batch.map((list) => positionId(list, 0)) }, entry: { $lte: entry } };
      const firsts = await this.#positions((positions, session) => positions.find(first, session).toArray());
      const found = new Set(firsts.map(({ _id }) => _id));
      existing.push(...batch.filter((list) => found.has(positionId(list, 0))));
    }
    for (const batch of partsOf(existing, CONCURRENT)) {
      await Promise.all(
        batch.map(async (list) =>
          sizes.set(
            list,
            await this.#positions((positions, session) => listSize(positions, list, entry, session)),
          ),
        ),
      );
    }
    return sizes;
  }

  #positions<T>(
    work: (positions: Collection<PositionDocument>, session: InSession) => Promise<T>,
  ): Promise<T> {
    return this.#run((db, session) => work(this.#collections.positions(db), session));
  }

  /** Adds missing documents. @throws {Error} if others are in their positions */
  async #insert<T extends Ordered>(name: string, documents: readonly T[]): Promise<void> {
    for (const batch of partsOf(documents, BATCH)) {
      const added = batch as OptionalUnlessRequiredId<T>[];
      const write = this.#run((db, session) =>
        db.collection<T>(name).insertMany(added, { ordered: false, ...session }),
      );
      await ifDuplicate(write, () => this.#expectStored(name, batch));
    }
  }

  /** A repeat finds what it would have written. Anything else would leave a permanent gap in a list. */
  async #expectStored(name: string, documents: readonly Ordered[]): Promise<void> {
    const ids = documents.map(({ _id }) => _id);
    const found = await this.#run((db, session) =>
      db
        .collection<Ordered>(name)
        .find({ _id: { $in: ids } }, { projection: { ordinal: 1 }, ...session })
        .toArray(),
    );
    const ordinals = new Map(found.map(({ _id, ordinal }) => [_id, ordinal]));
    const lost = documents.find(({ _id, ordinal }) => ordinals.get(_id) !== ordinal);
    if (lost) throw new Error(`${name} has no ${lost._id} of token ${lost.ordinal}: remove the index`);
  }

  async #setNames({ _id: entry, looks }: LogDocument): Promise<void> {
    if (looks.length === 0) return;
    await this.#run((db, session) =>
      this.#collections.tokens(db).bulkWrite(
        looks.map(({ token, names, lookAt }) => ({
          updateOne: {
            filter: { _id: token.address.toLowerCase(), entry: { $lt: entry } },
            update: { $set: { ...names, lookAt, entry }, $inc: { looks: 1 } },
          },
        })),
        { ordered: false, ...session },
      ),
    );
  }
}

function nextPosition(sizes: Map<string, number>, list: string): string {
  const n = sizes.get(list)!;
  sizes.set(list, n + 1);
  return positionId(list, n);
}

function toDocuments({ _id: entry, first, tokens }: LogDocument): TokenDocument[] {
  return tokens.map(({ lookAt, ...token }, i) => ({
    _id: token.address.toLowerCase(),
    ordinal: first + i,
    ...token,
    lookAt,
    looks: 0,
    entry,
  }));
}
