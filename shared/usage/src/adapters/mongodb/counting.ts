/**
 * Counting: one update for all that a batch changes in a record, on the condition that its producers are
 * unchanged.
 */
import { recordKey } from '../../calendar.ts';
import { ifDuplicate } from '@hindsight/stores/mongodb-errors.ts';
import type { AnyBulkWriteOperation } from 'mongodb';
import { DaySums, foldAfter, type RecordDeltas } from '../../fold.ts';
import type { Refusal } from '../../ports.ts';
import { settledRefusals } from '../../refusals.ts';
import { inParts, inRounds, type Collections, type Run, type UsageDocument } from './documents.ts';

/** Applies what has not been applied yet. */
export function apply(run: Run, records: readonly RecordDeltas[]): Promise<Refusal[]> {
  return inParts(records, (some) => inRounds(() => run((collections) => applyOnce(collections, some))));
}

/** One attempt; undefined when a concurrent write interfered, so that another attempt is needed. */
async function applyOnce(
  collections: Collections,
  records: readonly RecordDeltas[],
): Promise<Refusal[] | undefined> {
  const { usage } = collections;
  const seen = await look(collections, records);
  const closed = await closedProducers(collections, records, seen);
  const refusals: Refusal[] = [];
  const writes: AnyBulkWriteOperation<UsageDocument>[] = [];
  for (const record of records) {
    const document = seen.get(recordKey(record));
    if (document?.settled === true) {
      refusals.push(...settledRefusals(record));
      continue;
    }
    const { producers } = record;
    const open = producers.filter(({ producer }) => !closed.has(`${producer}|${document?._id ?? ''}`));
    const write = countingWrite({ ...record, producers: open }, document);
    if (write !== undefined) writes.push(write);
  }
  if (writes.length === 0) return refusals;
  // A duplicate: another process has created the document between our read and our write.
  const written = await ifDuplicate(usage.bulkWrite(writes, { ordered: false }), () => undefined);
  const { matchedCount = 0, upsertedCount = 0 } = written ?? {};
  return matchedCount + upsertedCount === writes.length ? refusals : undefined;
}

async function look(
  { usage }: Collections,
  records: readonly RecordDeltas[],
): Promise<Map<string, UsageDocument>> {
  const projection: Record<string, 1> = { settled: 1, pruned: 1 };
  for (const { producers } of records) {
    for (const { producer } of producers) projection[`lanes.${producer}.applied`] = 1;
  }
  const ids = records.map((record) => recordKey(record));
  const found = await usage.find({ _id: { $in: ids } }, { projection }).toArray();
  return new Map(found.map((document) => [document._id, document]));
}

/**
 * The producers, each given with a record that does not know it, that were closed and perhaps taken out of
 * the record: all that they counted was applied. Query after reading the records, so that none can be closed,
 * taken out and added again: `pruned` would have changed.
 */
async function closedProducers(
  collections: Collections,
  records: readonly RecordDeltas[],
  seen: ReadonlyMap<string, UsageDocument>,
): Promise<ReadonlySet<string>> {
  const unknown = records.flatMap((record) => {
    const document = seen.get(recordKey(record));
    if (document?.pruned === undefined) return [];
    const missing = record.producers.filter(
      ({ producer }) => document.lanes?.[producer]?.applied === undefined,
    );
    return missing.map(({ producer }) => ({ producer, id: document._id }));
  });
  if (unknown.length === 0) return new Set();
  const names = [...new Set(unknown.map(({ producer }) => producer))];
  const found = await collections.producers
    .find({ _id: { $in: names }, state: 'closed' }, { projection: { _id: 1 } })
    .toArray();
  const closed = new Set(found.map(({ _id }) => _id));
  return new Set(
    unknown.filter(({ producer }) => closed.has(producer)).map(({ producer, id }) => `${producer}|${id}`),
  );
}

/** Adds the sums if the producers are unchanged; undefined when nothing is new. */
function countingWrite(
  { project, month, producers }: RecordDeltas,
  document: UsageDocument | undefined,
): AnyBulkWriteOperation<UsageDocument> | undefined {
  const filter: Record<string, unknown> = {
    _id: recordKey({ project, month }),
    settled: { $exists: false },
    pruned: document?.pruned ?? { $exists: false },
  };
  const set: Record<string, number> = {};
  const days = new DaySums();
  const sums: Record<string, number> = { requests: 0, orders: 0 };
  for (const one of producers) {
    const part = `lanes.${one.producer}`;
    const { applied } = document?.lanes?.[one.producer] ?? {};
    const folded = foldAfter(one, applied ?? -1, days);
    if (folded === undefined) continue;
    filter[`${part}.applied`] = applied ?? { $exists: false };
    set[`${part}.applied`] = folded.sequence;
    sums[`${part}.counted`] = folded.requests;
    if (folded.orders > 0) sums[`${part}.orders`] = folded.orders;
    sums.requests! += folded.requests;
    sums.orders! += folded.orders;
  }
  if (Object.keys(set).length === 0) return undefined;
  for (const [breakdown, day, name, count] of days.entries()) sums[`${breakdown}.${day}.${name}`] = count;
  sums.revision = 1;
  const update = { $set: set, $inc: sums };
  if (document !== undefined) return { updateOne: { filter, update } };
  return { updateOne: { filter, update: { ...update, $setOnInsert: { month, taken: 0 } }, upsert: true } };
}
