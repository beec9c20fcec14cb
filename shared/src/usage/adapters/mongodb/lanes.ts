/** Lanes: renewed, closed, given up. */
import { isDuplicate } from '../../../stores/mongodb-errors.ts';
import type { ClosedLane, GivenUp, OpenLane } from '../../ports.ts';
import { inRounds, type Collections, type Run } from './documents.ts';

/** Records that are changed before the store may say that it is too slow. */
const RECORDS_AT_ONCE = 200;

/** The server's clock, by which all gateways' words are dated. */
export async function serverTime({ db }: Collections): Promise<number> {
  // By its old name, which every server knows.
  const { localTime } = await db.command({ isMaster: 1 });
  if (!(localTime instanceof Date)) throw new Error('the server does not tell its time');
  return localTime.getTime();
}

/** Notes that a lane lives; false when it has ended. */
export async function renewLane({ lanes }: Collections, lane: string): Promise<boolean> {
  try {
    await lanes.updateOne(
      { _id: lane, state: 'open' },
      { $currentDate: { renewedAt: true } },
      { upsert: true },
    );
    return true;
  } catch (error) {
    // It is there in another state.
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** Gives back what a lane has not counted, and ends it. */
export async function closeLane(run: Run, lane: string): Promise<ClosedLane> {
  const closed = await freeUnits(run, lane, {});
  await run(async (collections) => {
    const endedAt = new Date(await serverTime(collections));
    try {
      const isOpen = { _id: lane, state: { $nin: ['closed', 'giving up', 'given up'] as const } };
      await collections.lanes.updateOne(isOpen, { $set: { state: 'closed', endedAt } }, { upsert: true });
    } catch (error) {
      // It has ended before.
      if (!isDuplicate(error)) throw error;
    }
  });
  return closed;
}

/** Ends a lane that has been silent for so long, and gives back what it has not counted. */
export async function giveUpLane(run: Run, lane: string, silentMs: number): Promise<GivenUp> {
  const state = await run((collections) => endLane(collections, lane, silentMs));
  if (state !== undefined) return state;
  const freed = await freeUnits(run, lane, { lost: true });
  await run(({ lanes }) =>
    lanes.updateOne({ _id: lane, state: 'giving up' }, { $set: { state: 'given up' } }),
  );
  return { outcome: 'given up', ...freed };
}

/** Undefined when its units are to be given back, whether it has been ended now or before. */
async function endLane(
  collections: Collections,
  lane: string,
  silentMs: number,
): Promise<GivenUp | undefined> {
  const now = await serverTime(collections);
  const { modifiedCount } = await collections.lanes.updateOne(
    { _id: lane, state: 'open', renewedAt: { $lte: new Date(now - silentMs) } },
    { $set: { state: 'giving up', endedAt: new Date(now) } },
  );
  if (modifiedCount === 1) return undefined;
  const found = await collections.lanes.findOne({ _id: lane });
  if (found === null) return { outcome: 'unknown' };
  if (found.state === 'closed') return { outcome: 'closed' };
  if (found.state !== 'open') return undefined;
  return { outcome: 'alive', silentMs: now - (found.renewedAt?.getTime() ?? now) };
}

/** @param mark what else is noted in the lane's parts */
async function freeUnits(run: Run, lane: string, mark: { lost?: true }): Promise<ClosedLane> {
  let [records, units] = [0, 0];
  await inRounds(async () => {
    for (;;) {
      const freed = await run((collections) => freeSome(collections, lane, mark));
      records += freed.filter((unspent) => unspent > 0).length;
      units += freed.reduce((sum, unspent) => sum + unspent, 0);
      // No progress: there are no more, or all of them have changed in this moment.
      if (freed.length === 0) break;
    }
    const left = await run(({ usage }) => usage.findOne({ holders: lane }, { projection: { _id: 1 } }));
    return left === null ? 'all' : undefined;
  });
  return { records, units };
}

/** What some records had unspent; those that have changed meanwhile are not among them. */
async function freeSome(
  { usage }: Collections,
  lane: string,
  mark: { lost?: true },
): Promise<readonly number[]> {
  const part = `lanes.${lane}`;
  const some = await usage
    .find({ holders: lane }, { projection: { [part]: 1 } })
    .limit(RECORDS_AT_ONCE)
    .toArray();
  const freed: number[] = [];
  for (const { _id, lanes } of some) {
    const { held = 0, counted = 0, revision = 0 } = lanes?.[lane] ?? {};
    const unspent = Math.max(held - counted, 0);
    const marked = mark.lost === undefined ? {} : { $set: { [`${part}.lost`]: mark.lost } };
    const { matchedCount } = await usage.updateOne(
      {
        _id,
        [`${part}.revision`]: revision,
        [`${part}.counted`]: counted === 0 ? { $in: [0, null] } : counted,
      },
      {
        $inc: { taken: -unspent, [`${part}.held`]: -unspent, [`${part}.revision`]: 1 },
        $pull: { holders: lane },
        ...marked,
      },
    );
    if (matchedCount === 1) freed.push(unspent);
  }
  return freed;
}

/** Lanes that have not ended, those that are not wholly given up before them, the longest silent first. */
export async function openLanes(collections: Collections, limit: number): Promise<OpenLane[]> {
  const now = await serverTime(collections);
  const open = await collections.lanes
    // In the index's order, which begins with those that somebody has left half done.
    .find({ state: { $in: ['giving up', 'open'] } })
    .sort({ state: 1, renewedAt: 1 })
    .limit(limit)
    .toArray();
  const found: OpenLane[] = [];
  for (const { _id: lane, renewedAt } of open) {
    const silentMs = Math.max(now - (renewedAt?.getTime() ?? now), 0);
    found.push({ lane, silentMs, ...(await heldBy(collections, lane)) });
  }
  return found;
}

async function heldBy({ usage }: Collections, lane: string): Promise<{ records: number; units: number }> {
  const projection = { [`lanes.${lane}`]: 1 };
  let [records, units] = [0, 0];
  for await (const { lanes } of usage.find({ holders: lane }, { projection })) {
    const { held = 0, counted = 0 } = lanes?.[lane] ?? {};
    if (held <= counted) continue;
    records++;
    units += held - counted;
  }
  return { records, units };
}
