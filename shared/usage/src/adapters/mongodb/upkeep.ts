/** Upkeep of the records: compares them, settles months, and removes producers that have ended. */
import type { RecordAudit } from '../../ports.ts';
import { recordKey } from '../../calendar.ts';
import { readPages } from '@hindsight/kernel/pages.ts';
import {
  inRounds,
  recordOf,
  RECORDS_AT_ONCE,
  type Collections,
  type ProducerPart,
  type Run,
  type UsageDocument,
} from './documents.ts';
import { freeUnits, serverTime } from './producers.ts';

const PRUNED_AT_ONCE = 100;
const FORGOTTEN_AT_ONCE = 1_000;

/** A page of a month's records, after a given project. */
function pageOf(
  { usage }: Collections,
  month: string,
  after: string,
  projection: Readonly<Record<string, 1>> = {},
  limit = RECORDS_AT_ONCE,
): Promise<UsageDocument[]> {
  const _id = { $gt: recordKey({ project: after, month }), $lt: `${month}}` };
  return usage.find({ _id }, { projection }).sort({ _id: 1 }).limit(limit).toArray();
}

/** A page of a month's records with their sums. */
export async function audit(
  collections: Collections,
  month: string,
  after: string,
  limit: number,
): Promise<RecordAudit[]> {
  const page = await pageOf(collections, month, after, {}, limit);
  return page.map((document) => ({
    project: document._id.slice(month.length + 1),
    requests: document.requests,
    orders: document.orders,
    taken: document.taken,
    daily: Object.values(document.days ?? {}).reduce((sum, day) => sum + sumOf(Object.values(day)), 0),
    producers: document.settled === true ? undefined : sumsOfProducers(document),
  }));
}

function sumsOfProducers({ lanes = {}, past = 0 }: UsageDocument): RecordAudit['producers'] {
  const parts = Object.values(lanes);
  const overdrawn = parts.map(({ held = 0, counted = 0 }) => Math.max(counted - held, 0));
  return {
    outstanding: past + sumOf(parts.map(({ held = 0 }) => held)),
    counted: past + sumOf(parts.map(({ counted = 0 }) => counted)),
    orders: sumOf(parts.map(({ orders = 0 }) => orders)),
    overdrawn: sumOf(overdrawn),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

export async function settle({ usage }: Collections, before: string, limit: number): Promise<number> {
  const due = await usage
    .find({ settled: { $exists: false }, month: { $lt: before } }, { projection: { requests: 1, taken: 1 } })
    .limit(limit)
    .toArray();
  if (due.length === 0) return 0;
  const writes = due.map(({ _id, requests, taken }) => ({
    updateOne: {
      // A record that is being updated is left for the next pass.
      filter: { _id, settled: { $exists: false }, requests, taken },
      update: {
        $set: { settled: true as const, taken: requests },
        $unset: { lanes: '', holders: '', past: '', pruned: '' } as const,
      },
    },
  }));
  return (await usage.bulkWrite(writes, { ordered: false })).modifiedCount;
}

/** Leases to producers the units that they have counted beyond their leases, a record at a time. */
export async function coverOverdrawn(run: Run, month: string): Promise<number> {
  let units = 0;
  const all = readPages<UsageDocument>(RECORDS_AT_ONCE, (after) => {
    const project = after ? recordOf(after._id).project : '';
    return run((collections) => pageOf(collections, month, project, { lanes: 1 }));
  });
  for await (const { _id, lanes } of all) {
    if (overdrawnOf(lanes).length === 0) continue;
    units += await inRounds(() => run((collections) => coverRecord(collections, _id)));
  }
  return units;
}

function overdrawnOf(parts: UsageDocument['lanes'] = {}): [producer: string, part: ProducerPart][] {
  return Object.entries(parts).filter(([, { held = 0, counted = 0 }]) => counted > held);
}

/** The units of one record; undefined if it has changed since. */
async function coverRecord({ usage }: Collections, _id: string): Promise<number | undefined> {
  const found = await usage.findOne({ _id }, { projection: { lanes: 1 } });
  const filter: Record<string, unknown> = { _id };
  const sums: Record<string, number> = { taken: 0 };
  for (const [producer, { held = 0, counted = 0, revision }] of overdrawnOf(found?.lanes)) {
    const part = `lanes.${producer}`;
    filter[`${part}.counted`] = counted;
    filter[`${part}.revision`] = revision ?? { $exists: false };
    sums[`${part}.held`] = counted - held;
    sums[`${part}.revision`] = 1;
    sums.taken! += counted - held;
  }
  if (sums.taken === 0) return 0;
  const { matchedCount } = await usage.updateOne(filter, { $inc: sums });
  return matchedCount === 0 ? undefined : sums.taken;
}

/** Takes producers that were closed this long ago out of the records of these months. */
export async function pruneProducers(run: Run, months: readonly string[], closedMs: number): Promise<number> {
  const names = await run(async (collections) => {
    const endedAt = { $lte: new Date((await serverTime(collections)) - closedMs) };
    const closed = { state: 'closed', pruned: { $exists: false }, endedAt } as const;
    const ended = await collections.producers.find(closed).limit(PRUNED_AT_ONCE).toArray();
    return ended.map(({ _id }) => _id);
  });
  if (names.length === 0) return 0;
  // A lease that was slow on its way may have come after the producer was closed.
  for (const name of names) await freeUnits(run, name);
  for (const month of months) {
    let after = '';
    do {
      const from = after;
      after = await inRounds(() => run((collections) => prunePage(collections, month, from, names)));
    } while (after !== '');
  }
  await run(({ producers }) => producers.updateMany({ _id: { $in: names } }, { $set: { pruned: true } }));
  return names.length;
}

/** The last project of the page, empty behind the last page; undefined if a record has changed since. */
async function prunePage(
  collections: Collections,
  month: string,
  after: string,
  producers: readonly string[],
): Promise<string | undefined> {
  const projection: Record<string, 1> = { pruned: 1, settled: 1 };
  for (const producer of producers) projection[`lanes.${producer}`] = 1;
  const page = await pageOf(collections, month, after, projection);
  const writes = page.flatMap(({ _id, pruned, settled, lanes: parts = {} }) => {
    const write = settled === true ? undefined : pruning(parts);
    if (write === undefined) return [];
    const filter = { _id, pruned: pruned ?? { $exists: false as const }, ...write.seen };
    return [{ updateOne: { filter, update: write.update } }];
  });
  if (writes.length > 0) {
    const { matchedCount } = await collections.usage.bulkWrite(writes, { ordered: false });
    if (matchedCount < writes.length) return undefined;
  }
  return page.at(-1)?._id.slice(month.length + 1) ?? '';
}

function pruning(parts: Readonly<Record<string, ProducerPart>>) {
  const seen: Record<string, number> = {};
  const unset: Record<string, ''> = {};
  let past = 0;
  for (const [producer, { counted = 0, held = 0, applied, revision }] of Object.entries(parts)) {
    // A record that does not add up stays for an operator to examine.
    if (held !== counted) continue;
    unset[`lanes.${producer}`] = '';
    if (applied !== undefined) seen[`lanes.${producer}.applied`] = applied;
    if (revision !== undefined) seen[`lanes.${producer}.revision`] = revision;
    past += counted;
  }
  if (Object.keys(unset).length === 0) return undefined;
  return { seen, update: { $unset: unset, $inc: { past, pruned: 1 } } };
}

/** Forgets some of the producers that were closed this long ago. */
export async function forgetProducers(collections: Collections, endedMs: number): Promise<number> {
  const endedAt = { $lte: new Date((await serverTime(collections)) - endedMs) };
  const { producers } = collections;
  const due = await producers
    .find({ state: 'closed', pruned: true, endedAt }, { projection: { _id: 1 } })
    .limit(FORGOTTEN_AT_ONCE)
    .toArray();
  if (due.length === 0) return 0;
  return (await producers.deleteMany({ _id: { $in: due.map(({ _id }) => _id) } })).deletedCount;
}
