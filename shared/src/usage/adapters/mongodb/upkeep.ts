/** What keeps the records right and small: compared, settled, and rid of lanes that have ended. */
import type { RecordAudit } from '../../ports.ts';
import {
  inMonth,
  inRounds,
  type Collections,
  type LanePart,
  type Run,
  type UsageDocument,
} from './documents.ts';
import { serverTime } from './lanes.ts';

const LANES_AT_ONCE = 100;
/** Records that are changed before the store may say that it is too slow. */
const RECORDS_AT_ONCE = 200;

/** A page of a month's records with their sums. */
export async function audit(
  { usage }: Collections,
  month: string,
  after: string,
  limit: number,
): Promise<RecordAudit[]> {
  const page = await usage
    .find({ _id: inMonth(month, after) })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray();
  return page.map((document) => ({
    project: document._id.slice(month.length + 1),
    requests: document.requests,
    orders: document.orders,
    taken: document.taken,
    daily: Object.values(document.days ?? {}).reduce((sum, day) => sum + sumOf(Object.values(day)), 0),
    lanes: document.settled === true ? undefined : laneSums(document),
  }));
}

function laneSums({ lanes = {}, past = 0 }: UsageDocument): RecordAudit['lanes'] {
  const parts = Object.values(lanes);
  const overdrawn = parts.map(({ held = 0, counted = 0 }) => Math.max(counted - held, 0));
  return {
    held: past + sumOf(parts.map(({ held = 0 }) => held)),
    counted: past + sumOf(parts.map(({ counted = 0 }) => counted)),
    orders: sumOf(parts.map(({ orders = 0 }) => orders)),
    overdrawn: sumOf(overdrawn),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Settles records of months before this one. */
export async function settle({ usage }: Collections, before: string, limit: number): Promise<number> {
  const due = await usage
    .find({ settled: { $exists: false }, month: { $lt: before } }, { projection: { requests: 1, taken: 1 } })
    .limit(limit)
    .toArray();
  let settled = 0;
  for (const { _id, requests, taken } of due) {
    const { modifiedCount } = await usage.updateOne(
      // One that is counted in at this moment is left for the next time.
      { _id, settled: { $exists: false }, requests, taken },
      { $set: { settled: true, taken: requests }, $unset: { lanes: '', holders: '', past: '', pruned: '' } },
    );
    settled += modifiedCount;
  }
  return settled;
}

/** Takes lanes that were closed so long ago out of the records of these months. */
export async function pruneLanes(run: Run, months: readonly string[], closedMs: number): Promise<number> {
  const names = await run(async (collections) => {
    const endedAt = { $lte: new Date((await serverTime(collections)) - closedMs) };
    const closed = { state: 'closed', pruned: { $exists: false }, endedAt } as const;
    const ended = await collections.lanes.find(closed).limit(LANES_AT_ONCE).toArray();
    return ended.map(({ _id }) => _id);
  });
  if (names.length === 0) return 0;
  for (const month of months) {
    let after: string | undefined = '';
    while (after !== undefined) {
      const from: string = after;
      after = await inRounds(() => run((collections) => prunePage(collections, month, from, names)));
      if (after === '') after = undefined;
    }
  }
  await run(({ lanes }) => lanes.updateMany({ _id: { $in: names } }, { $set: { pruned: true } }));
  return names.length;
}

/** The last project of the page, empty behind the last page; undefined when a record has changed meanwhile. */
async function prunePage(
  { usage }: Collections,
  month: string,
  after: string,
  lanes: readonly string[],
): Promise<string | undefined> {
  const projection: Record<string, 1> = { pruned: 1, settled: 1 };
  for (const lane of lanes) projection[`lanes.${lane}`] = 1;
  const page = await usage
    .find({ _id: inMonth(month, after) }, { projection })
    .sort({ _id: 1 })
    .limit(RECORDS_AT_ONCE)
    .toArray();
  let whole = true;
  for (const { _id, pruned, settled, lanes: parts = {} } of page) {
    const write = settled === true ? undefined : pruning(parts);
    if (write === undefined) continue;
    const seen = { _id, pruned: pruned ?? { $exists: false }, ...write.seen };
    whole &&= (await usage.updateOne(seen, write.update)).matchedCount === 1;
  }
  if (!whole) return undefined;
  return page.at(-1)?._id.slice(month.length + 1) ?? '';
}

function pruning(parts: Readonly<Record<string, LanePart>>) {
  const seen: Record<string, number> = {};
  const unset: Record<string, ''> = {};
  let past = 0;
  for (const [lane, { counted = 0, held = 0, applied, revision }] of Object.entries(parts)) {
    // What it took after it was closed is left for people to see.
    if (held !== counted) continue;
    unset[`lanes.${lane}`] = '';
    if (applied !== undefined) seen[`lanes.${lane}.applied`] = applied;
    if (revision !== undefined) seen[`lanes.${lane}.revision`] = revision;
    past += counted;
  }
  if (Object.keys(unset).length === 0) return undefined;
  return { seen, update: { $unset: unset, $inc: { past, pruned: 1 } } };
}

/** Forgets lanes that ended so long ago. */
export async function forgetLanes(collections: Collections, endedMs: number): Promise<number> {
  const endedAt = { $lte: new Date((await serverTime(collections)) - endedMs) };
  const { lanes } = collections;
  const closed = await lanes.deleteMany({ state: 'closed', pruned: true, endedAt });
  const givenUp = await lanes.deleteMany({ state: 'given up', pruned: { $exists: false }, endedAt });
  return closed.deletedCount + givenUp.deletedCount;
}
