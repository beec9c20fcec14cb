/** Counting: one update for all that a batch changes in a record, on the condition that its lanes stand where they stood. */
import { MongoBulkWriteError, type AnyBulkWriteOperation } from 'mongodb';
import { foldAfter, lastWithRoom, type DaySums, type LaneDeltas, type RecordDeltas } from '../../fold.ts';
import type { Refusal } from '../../ports.ts';
import { REFUSED } from '../../refusals.ts';
import { idOf, inRounds, type Collections, type Run, type UsageDocument } from './documents.ts';

/** Documents of one bulk write. */
const MOST_AT_ONCE = 500;

/** Applies what has not been applied yet. */
export async function apply(run: Run, records: readonly RecordDeltas[]): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  for (let at = 0; at < records.length; at += MOST_AT_ONCE) {
    const some = records.slice(at, at + MOST_AT_ONCE);
    const refused = await inRounds(() => run((collections) => applyOnce(collections, some)));
    refusals.push(...refused);
  }
  return refusals;
}

/** One round; undefined when others have changed something meanwhile, so that another is needed. */
async function applyOnce(
  collections: Collections,
  records: readonly RecordDeltas[],
): Promise<Refusal[] | undefined> {
  const { usage } = collections;
  const seen = await look(collections, records);
  const closed = await closedLanes(collections, records, seen);
  const refusals: Refusal[] = [];
  const writes: AnyBulkWriteOperation<UsageDocument>[] = [];
  for (const record of records) {
    const document = seen.get(idOf(record.project, record.month));
    const open = record.lanes.filter(({ lane }) => !closed.has(`${lane}|${document?._id ?? ''}`));
    const counting = whatCounts(open, document);
    refusals.push(...counting.flatMap((one) => refusal(record, one) ?? []));
    const write = countingWrite(record, counting, document);
    if (write !== undefined) writes.push(write);
  }
  if (writes.length === 0) return refusals;
  try {
    const { matchedCount, upsertedCount } = await usage.bulkWrite(writes, { ordered: false });
    return matchedCount + upsertedCount === writes.length ? refusals : undefined;
  } catch (error) {
    const faults = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (faults.length === 0 || faults.some(({ code }) => code !== 11_000)) throw error;
    // Somebody has made the document between our look and our write.
    return undefined;
  }
}

async function look(
  { usage }: Collections,
  records: readonly RecordDeltas[],
): Promise<Map<string, UsageDocument>> {
  const projection: Record<string, 1> = { settled: 1, pruned: 1, taken: 1, leaseLimit: 1 };
  for (const { lanes } of records) {
    for (const { lane } of lanes) {
      projection[`lanes.${lane}.applied`] = 1;
      projection[`lanes.${lane}.lost`] = 1;
    }
  }
  const ids = records.map(({ project, month }) => idOf(project, month));
  const found = await usage.find({ _id: { $in: ids } }, { projection }).toArray();
  return new Map(found.map((document) => [document._id, document]));
}

/**
 * Lanes, each with a record that does not know it, that may have been taken out of the record and were closed: all that
 * they counted was applied. To be asked after the records were looked at, so that none can be closed, taken out and
 * added again: `pruned` would have changed.
 */
async function closedLanes(
  { lanes }: Collections,
  records: readonly RecordDeltas[],
  seen: ReadonlyMap<string, UsageDocument>,
): Promise<ReadonlySet<string>> {
  const unknown = records.flatMap((record) => {
    const document = seen.get(idOf(record.project, record.month));
    if (document?.pruned === undefined) return [];
    const missing = record.lanes.filter(({ lane }) => document.lanes?.[lane]?.applied === undefined);
    return missing.map(({ lane }) => ({ lane, id: document._id }));
  });
  if (unknown.length === 0) return new Set();
  const names = [...new Set(unknown.map(({ lane }) => lane))];
  const found = await lanes
    .find({ _id: { $in: names }, state: 'closed' }, { projection: { _id: 1 } })
    .toArray();
  const closed = new Set(found.map(({ _id }) => _id));
  return new Set(unknown.filter(({ lane }) => closed.has(lane)).map(({ lane, id }) => `${lane}|${id}`));
}

/** What of a lane's deltas may be counted. */
interface Counting {
  readonly one: LaneDeltas;
  /** The last number that was applied; undefined for a lane that the record does not know. */
  readonly applied: number | undefined;
  /** What is above this number is refused. */
  readonly upTo: number;
  readonly reason?: string;
  /** It was given up: it takes units as it counts. */
  readonly lost: boolean;
}

/** Lanes that were given up share what is left in the record as it was seen. */
function whatCounts(lanes: readonly LaneDeltas[], document: UsageDocument | undefined): Counting[] {
  let room = (document?.leaseLimit ?? 0) - (document?.taken ?? 0);
  return lanes.map((one): Counting => {
    const { applied, lost = false } = document?.lanes?.[one.lane] ?? {};
    const after = applied ?? -1;
    if (document?.settled === true) return { one, applied, upTo: after, reason: REFUSED.settled, lost };
    if (!lost) return { one, applied, upTo: Infinity, lost };
    const upTo = lastWithRoom(one, after, room);
    room -= foldAfter(one, after, undefined, upTo)?.requests ?? 0;
    return { one, applied, upTo, reason: REFUSED.noRoom, lost };
  });
}

function refusal({ project, month }: RecordDeltas, { one, upTo, reason }: Counting): Refusal | undefined {
  if (reason === undefined || (one.deltas.at(-1)?.sequence ?? -1) <= upTo) return undefined;
  return { lane: one.lane, project, month, after: upTo, reason };
}

/** Adds the sums if the lanes still stand where they were seen; undefined when nothing is new. */
function countingWrite(
  { project, month }: RecordDeltas,
  lanes: readonly Counting[],
  document: UsageDocument | undefined,
): AnyBulkWriteOperation<UsageDocument> | undefined {
  const filter: Record<string, unknown> = {
    _id: idOf(project, month),
    settled: { $exists: false },
    pruned: document?.pruned ?? { $exists: false },
  };
  const set: Record<string, number> = {};
  const days: DaySums = new Map();
  const sums: Record<string, number> = { requests: 0, orders: 0 };
  let late = 0;
  for (const { one, applied, upTo, lost } of lanes) {
    const part = `lanes.${one.lane}`;
    const folded = foldAfter(one, applied ?? -1, days, upTo);
    if (folded === undefined) continue;
    filter[`${part}.applied`] = applied ?? { $exists: false };
    filter[`${part}.lost`] = lost ? true : { $exists: false };
    set[`${part}.applied`] = folded.sequence;
    sums[`${part}.counted`] = folded.requests;
    if (lost) sums[`${part}.held`] = folded.requests;
    if (lost) late += folded.requests;
    if (folded.orders > 0) sums[`${part}.orders`] = folded.orders;
    sums.requests! += folded.requests;
    sums.orders! += folded.orders;
  }
  if (Object.keys(set).length === 0) return undefined;
  for (const [day, endpoints] of days) {
    for (const [endpoint, count] of endpoints) sums[`days.${day}.${endpoint}`] = count;
  }
  if (late > 0) {
    const { leaseLimit = 0 } = document ?? {};
    sums.taken = late;
    filter.leaseLimit = leaseLimit;
    // Others may have taken what was seen to be left.
    filter.taken = { $lte: leaseLimit - late };
  }
  const update = { $set: set, $inc: sums };
  if (document !== undefined) return { updateOne: { filter, update } };
  return { updateOne: { filter, update: { ...update, $setOnInsert: { month, taken: 0 } }, upsert: true } };
}
