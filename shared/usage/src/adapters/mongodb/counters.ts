/** Counters for copies, and the records that copies may lack. */
import { systemClock } from '@hindsight/kernel/clock.ts';
import { ifDuplicate } from '@hindsight/stores/mongodb-errors.ts';
import type { CountedRecords, NotedRecord, RevisedMonth } from '../../counters/ports.ts';
import { recordKey, type RecordName } from '../../calendar.ts';
import type { MonthUsage } from '../../ports.ts';
import { inParts, inRounds, recordOf, type Collections, type Run, type UsageDocument } from './documents.ts';

/** Fields that a month's usage is read from. */
export const USAGE_PROJECTION = { requests: 1, orders: 1, taken: 1, days: 1, statuses: 1, keys: 1 } as const;

export function createCountedRecords(run: Run): CountedRecords {
  return {
    readMany: (records) =>
      inParts(records, (some) => run((collections) => readMany(collections, some, systemClock.now()))),
    note: async (records) =>
      void (await inParts(records, (some) => inRounds(() => run((collections) => note(collections, some))))),
    noted: (limit) => run((collections) => noted(collections, limit)),
    forget: async (records) =>
      void (await inParts(records, (some) => run((collections) => forget(collections, some)))),
  };
}

async function readMany(
  { usage }: Collections,
  records: readonly RecordName[],
  asOf: number,
): Promise<RevisedMonth[]> {
  const ids = records.map((record) => recordKey(record));
  const projection = { ...USAGE_PROJECTION, revision: 1 };
  const found = await usage.find({ _id: { $in: ids } }, { projection }).toArray();
  const byId = new Map<string, Partial<UsageDocument>>(found.map((document) => [document._id, document]));
  return records.map(({ project, month }) => {
    const { revision = 0, ...document } = byId.get(recordKey({ project, month })) ?? {};
    return { project, month, revision, asOf, ...monthOf(document) };
  });
}

/** A document's month; zeros where there is none. */
export function monthOf(document: Partial<UsageDocument>): MonthUsage {
  const { requests = 0, orders = 0, taken = 0, days = {}, statuses, keys } = document;
  return { requests, orders, taken, days, ...(statuses && { statuses }), ...(keys && { keys }) };
}

async function note(
  { unpublished }: Collections,
  records: readonly RecordName[],
): Promise<readonly never[] | undefined> {
  const writes = records.map((record) => ({
    updateOne: { filter: { _id: recordKey(record) }, update: { $inc: { times: 1 } }, upsert: true },
  }));
  const written = unpublished.bulkWrite(writes, { ordered: false }).then(() => []);
  // A duplicate: another process has noted one of them at the same moment. Noting the others again does no harm.
  return ifDuplicate(written, () => undefined);
}

async function noted({ unpublished }: Collections, limit: number): Promise<NotedRecord[]> {
  const found = await unpublished.find({}).sort({ _id: 1 }).limit(limit).toArray();
  return found.map(({ _id, times }) => ({ ...recordOf(_id), times }));
}

async function forget({ unpublished }: Collections, records: readonly NotedRecord[]): Promise<never[]> {
  const writes = records.map((record) => ({
    deleteOne: { filter: { _id: recordKey(record), times: record.times } },
  }));
  await unpublished.bulkWrite(writes, { ordered: false });
  return [];
}
