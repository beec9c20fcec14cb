/** Units by lease: conditional updates of one document. */
import { isDuplicate } from '../../../stores/mongodb-errors.ts';
import { blockOf } from '../../lease.ts';
import type { Lease, LeaseRequest, LeaseReturn } from '../../ports.ts';
import { idOf, type Collections, type LanePart } from './documents.ts';

/** Takes a share of what is left; undefined when others have changed the record meanwhile. */
export async function take({ usage }: Collections, request: LeaseRequest): Promise<Lease | undefined> {
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
        $set: { leaseLimit: limit },
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

/** Gives units back; undefined when the lane's part has changed since. */
export async function giveBack({ usage }: Collections, one: LeaseReturn): Promise<LeaseReturn | undefined> {
  const { project, month, lane, units, revision } = one;
  const part = `lanes.${lane}`;
  const { matchedCount } = await usage.updateOne(
    { _id: idOf(project, month), [`${part}.revision`]: revision },
    { $inc: { taken: -units, [`${part}.held`]: -units, [`${part}.revision`]: 1 } },
  );
  return matchedCount === 0 ? undefined : { ...one, revision: revision + 1 };
}
