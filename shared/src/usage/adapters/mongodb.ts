import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { MongoBulkWriteError } from 'mongodb';
import { isDuplicate, type CollectionIndexes, type MongoStore } from '../../stores/mongodb.ts';
import { StoreUnavailable } from '../../stores/unavailable.ts';
import { foldAfter, type FoldedDelta, type MonthDeltas } from '../fold.ts';
import { blockOf } from '../lease.ts';
import type { ClosedLane, Lease, LeaseRequest, LeaseReturn, MonthUsage, UsageStore } from '../ports.ts';

/** A project's month: one document, so that each change is one atomic update. */
interface UsageDocument {
  readonly _id: string;
  readonly month: string;
  readonly taken: number;
  readonly requests: number;
  readonly orders: number;
  readonly lanes: Readonly<Record<string, LanePart>>;
  /** Lanes that may hold units: what an index can find them by. */
  readonly holders?: readonly string[];
  readonly days?: MonthUsage['days'];
}

interface LanePart {
  readonly held?: number;
  readonly revision?: number;
  readonly counted?: number;
  readonly applied?: number;
}

type Usage = Collection<UsageDocument>;

const USAGE = 'usage';

/** What the queries of this file stand on. */
export const USAGE_INDEXES: readonly CollectionIndexes[] = [
  { collection: USAGE, indexes: [{ name: 'holders', key: { holders: 1 } }] },
];

/** Races between gateways are decided within a few rounds; more mean that something is wrong. */
const MOST_ROUNDS = 50;
/** Documents of one bulk write. */
const MOST_AT_ONCE = 500;

/** Usage in MongoDB, by updates of single documents; its indexes are `USAGE_INDEXES`. */
export function createMongodbUsage(store: MongoStore): UsageStore {
  const run = <T>(work: (usage: Usage) => Promise<T>): Promise<T> =>
    store.run((db) => work(db.collection<UsageDocument>(USAGE)));
  return {
    take: (request) => inRounds(() => run((usage) => take(usage, request))),
    giveBack: async (returns) => {
      const done = await Promise.all(returns.map((one) => run((usage) => giveBack(usage, one))));
      return done.flatMap((one) => one ?? []);
    },
    async apply(deltas) {
      for (let at = 0; at < deltas.length; at += MOST_AT_ONCE) {
        let waiting = deltas.slice(at, at + MOST_AT_ONCE);
        await inRounds(async () => {
          waiting = await run((usage) => apply(usage, waiting));
          return waiting.length === 0 ? 'applied' : undefined;
        });
      }
    },
    closeLane: (lane) => inRounds(() => run((usage) => closeLane(usage, lane))),
    openLanes: (month, limit) => run((usage) => openLanes(usage, month, limit)),
    read: (project, month) => run((usage) => read(usage, idOf(project, month))),
  };
}

function idOf(project: string, month: string): string {
  return `${month}|${project}`;
}

/** Again while others were faster. */
async function inRounds<T>(work: () => Promise<T | undefined>): Promise<T> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const result = await work();
    if (result !== undefined) return result;
  }
  throw new StoreUnavailable('MongoDB', `others were faster ${MOST_ROUNDS} times`);
}

async function take(usage: Usage, request: LeaseRequest): Promise<Lease | undefined> {
  const { project, month, lane, limit, atLeast } = request;
  const _id = idOf(project, month);
  const projection = { taken: 1, [`lanes.${lane}`]: 1 };
  const seen = await usage.findOne({ _id }, { projection });
  const unclaimed = Math.max(limit - (seen?.taken ?? 0), 0);
  const units = blockOf(unclaimed, atLeast);
  if (units === 0) return { units, unclaimed: 0, ...stateOf(seen?.lanes?.[lane]) };
  const part = `lanes.${lane}`;
  try {
    const before = await usage.findOneAndUpdate(
      // What was seen need not be true any more; that the limit holds is checked by the update itself.
      { _id, taken: { $lte: limit - units } },
      {
        $inc: { taken: units, [`${part}.held`]: units, [`${part}.revision`]: 1 },
        $addToSet: { holders: lane },
        $setOnInsert: { month, requests: 0, orders: 0 },
      },
      { upsert: seen === null, returnDocument: 'before', projection },
    );
    // Null when it was made by this very update, or when others took too much of what was seen.
    if (before === null && seen !== null) return undefined;
    const { heldBefore, revision } = stateOf(before?.lanes?.[lane]);
    const left = limit - (before?.taken ?? 0) - units;
    return { units, heldBefore, revision: revision + 1, unclaimed: left };
  } catch (error) {
    if (isDuplicate(error)) return undefined;
    throw error;
  }
}

function stateOf(part: LanePart | undefined): { heldBefore: number; revision: number } {
  return { heldBefore: part?.held ?? 0, revision: part?.revision ?? 0 };
}

async function giveBack(usage: Usage, one: LeaseReturn): Promise<LeaseReturn | undefined> {
  const { project, month, lane, units, revision } = one;
  const part = `lanes.${lane}`;
  const { matchedCount } = await usage.updateOne(
    { _id: idOf(project, month), [`${part}.revision`]: revision },
    { $inc: { taken: -units, [`${part}.held`]: -units, [`${part}.revision`]: 1 } },
  );
  return matchedCount === 0 ? undefined : { ...one, revision: revision + 1 };
}

/** One round: resolves to what others have changed meanwhile, to be tried again. */
async function apply(usage: Usage, waiting: readonly MonthDeltas[]): Promise<MonthDeltas[]> {
  const ids = [...new Set(waiting.map(({ project, month }) => idOf(project, month)))];
  const lanes = Object.fromEntries(waiting.map(({ lane }) => [`lanes.${lane}.applied`, 1]));
  const seen = new Map<string, UsageDocument>();
  for await (const document of usage.find({ _id: { $in: ids } }, { projection: lanes })) {
    seen.set(document._id, document);
  }
  const writes = waiting.flatMap((one) => {
    const document = seen.get(idOf(one.project, one.month));
    const applied = document?.lanes?.[one.lane]?.applied ?? -1;
    const folded = foldAfter(one.deltas, applied);
    return folded === undefined ? [] : [{ one, write: countingWrite(one, folded, applied) }];
  });
  if (writes.length === 0) return [];
  try {
    const { matchedCount, upsertedCount } = await usage.bulkWrite(
      writes.map(({ write }) => write),
      { ordered: false },
    );
    return matchedCount + upsertedCount === writes.length ? [] : writes.map(({ one }) => one);
  } catch (error) {
    const faults = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (faults.length === 0 || faults.some(({ code }) => code !== 11_000)) throw error;
    // Somebody has applied some of them, or made the document, between our look and our write.
    return writes.map(({ one }) => one);
  }
}

/** Adds the sums if the lane still stands where it was seen; a document that is not there is made. */
function countingWrite(
  { project, month, lane }: MonthDeltas,
  { sequence, requests, orders, days }: FoldedDelta,
  applied: number,
): AnyBulkWriteOperation<UsageDocument> {
  const part = `lanes.${lane}`;
  const sums: Record<string, number> = { requests, orders, [`${part}.counted`]: requests };
  for (const [day, endpoints] of days) {
    for (const [endpoint, count] of endpoints) sums[`days.${day}.${endpoint}`] = count;
  }
  const stand = applied === -1 ? { $exists: false } : applied;
  return {
    updateOne: {
      filter: { _id: idOf(project, month), [`${part}.applied`]: stand },
      update: {
        $set: { [`${part}.applied`]: sequence },
        $inc: sums,
        $setOnInsert: { month, taken: 0 },
      },
      upsert: applied === -1,
    },
  };
}

/** Undefined when one of the records has changed meanwhile. */
async function closeLane(usage: Usage, lane: string): Promise<ClosedLane | undefined> {
  const projection = { [`lanes.${lane}`]: 1 };
  const part = `lanes.${lane}`;
  let [records, units] = [0, 0];
  for await (const document of usage.find({ holders: lane }, { projection })) {
    const { held = 0, counted = 0, revision = 0 } = document.lanes?.[lane] ?? {};
    const unspent = Math.max(held - counted, 0);
    const { matchedCount } = await usage.updateOne(
      {
        _id: document._id,
        [`${part}.revision`]: revision,
        [`${part}.counted`]: counted === 0 ? { $in: [0, null] } : counted,
      },
      {
        $inc: { taken: -unspent, [`${part}.held`]: -unspent, [`${part}.revision`]: 1 },
        $pull: { holders: lane },
      },
    );
    if (matchedCount === 0) return undefined;
    records += unspent > 0 ? 1 : 0;
    units += unspent;
  }
  return { records, units };
}

async function openLanes(usage: Usage, month: string, limit: number): ReturnType<UsageStore['openLanes']> {
  const found = new Map<string, { records: number; units: number }>();
  const holding = usage.find(
    { _id: { $gte: `${month}|`, $lt: `${month}}` }, 'holders.0': { $exists: true } },
    { projection: { lanes: 1, holders: 1 } },
  );
  for await (const { lanes, holders = [] } of holding) {
    for (const lane of holders) {
      const { held = 0, counted = 0 } = lanes[lane] ?? {};
      if (held <= counted) continue;
      const sum = found.get(lane) ?? { records: 0, units: 0 };
      found.set(lane, { records: sum.records + 1, units: sum.units + held - counted });
    }
  }
  const sorted = [...found].sort(([, a], [, b]) => b.units - a.units).slice(0, limit);
  return sorted.map(([lane, sums]) => ({ lane, ...sums }));
}

async function read(usage: Usage, _id: string): Promise<MonthUsage> {
  const projection = { requests: 1, orders: 1, taken: 1, days: 1 };
  const found = await usage.findOne({ _id }, { projection });
  const { requests = 0, orders = 0, taken = 0, days = {} } = found ?? {};
  return { requests, orders, taken, days };
}
