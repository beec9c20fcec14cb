/** Counters for copies, and the records that copies may lack. */
import { MongoBulkWriteError } from 'mongodb';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { CountedRecords, NotedRecord, RevisedMonth } from '../../counters/ports.ts';
import { recordKey, type RecordName } from '../../calendar.ts';
import type { MonthUsage } from '../../ports.ts';
import { inRounds, recordOf, type Collections, type Run, type UsageDocument } from './documents.ts';

/** Fields that a month's usage is read from. */
export const USAGE_PROJECTION = { requests: 1, orders: 1, taken: 1, days: 1, statuses: 1, keys: 1 } as const;
const RECORDS_AT_ONCE = 500;
const DUPLICATE_KEY = 11_000;

/** The counted records of a ledger in MongoDB. */
export function createCountedRecords(run: Run, clock: Clock): CountedRecords {
  return {
    readMany: (records) =>
      inParts(records, (some) => run((collections) => readMany(collections, some, clock.now()))),
    note: async (records) =>
      void (await inParts(records, (some) => inRounds(() => run((collections) => note(collections, some))))),
    noted: (limit) => run((collections) => noted(collections, limit)),
    forget: async (records) =>
      void (await inParts(records, (some) => run((collections) => forget(collections, some)))),
  };
}

async function inParts<T extends RecordName, R>(
  records: readonly T[],
  work: (some: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < records.length; at += RECORDS_AT_ONCE)
    results.push(...(await work(records.slice(at, at + RECORDS_AT_ONCE))));
  return results;
}

async function readMany(
  { usage }: Collections,
  records: readonly RecordName[],
  asOf: number,
): Promise<RevisedMonth[]> {
  const ids = records.map(({ project, month }) => recordKey({ project, month }));
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
  const writes = records.map(({ project, month }) => ({
    updateOne: {
      filter: { _id: recordKey({ project, month }) },
      update: { $inc: { times: 1 } },
      upsert: true,
    },
  }));
  try {
    await unpublished.bulkWrite(writes, { ordered: false });
    return [];
  } catch (error) {
    const faults = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (faults.length === 0 || faults.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    // Another process has noted one of them at the same moment. Noting the others again does no harm.
    return undefined;
  }
}

async function noted({ unpublished }: Collections, limit: number): Promise<NotedRecord[]> {
  const found = await unpublished.find({}).sort({ _id: 1 }).limit(limit).toArray();
  return found.map(({ _id, times }) => ({ ...recordOf(_id), times }));
}

async function forget({ unpublished }: Collections, records: readonly NotedRecord[]): Promise<never[]> {
  const writes = records.map(({ project, month, times }) => ({
    deleteOne: { filter: { _id: recordKey({ project, month }), times } },
  }));
  await unpublished.bulkWrite(writes, { ordered: false });
  return [];
}
