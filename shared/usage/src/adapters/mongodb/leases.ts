/** Units by lease: conditional updates of one document. */
import { isDuplicate } from '@hindsight/stores/mongodb-errors.ts';
import { batchOf } from '../../lease.ts';
import type { Lease, LeaseRelease, LeaseRequest } from '../../ports.ts';
import { idOf, type Collections, type ProducerPart } from './documents.ts';

/** Leases a share of what is left; undefined on a write conflict. */
export async function take({ usage }: Collections, request: LeaseRequest): Promise<Lease | undefined> {
  const { project, month, producer, limit, waiting, atHand } = request;
  const _id = idOf(project, month);
  const projection = { taken: 1, [`lanes.${producer}`]: 1 };
  const seen = await usage.findOne({ _id }, { projection });
  const unclaimed = Math.max(limit - (seen?.taken ?? 0), 0);
  const units = batchOf(unclaimed, waiting, atHand);
  if (units === 0) return { units, unclaimed, ...stateOf(seen?.lanes?.[producer]) };
  const part = `lanes.${producer}`;
  try {
    const before = await usage.findOneAndUpdate(
      // The record may have changed since it was read; the update itself checks the limit.
      { _id, taken: { $lte: limit - units } },
      {
        $inc: { taken: units, [`${part}.held`]: units, [`${part}.revision`]: 1 },
        $addToSet: { holders: producer },
        $setOnInsert: { month, requests: 0, orders: 0 },
      },
      { upsert: seen === null, returnDocument: 'before', projection },
    );
    // Null when this very update has created it, or when others have acquired too much meanwhile.
    if (before === null && seen !== null) return undefined;
    const { outstanding, revision } = stateOf(before?.lanes?.[producer]);
    const left = limit - (before?.taken ?? 0) - units;
    return { units, outstanding, revision: revision + 1, unclaimed: left };
  } catch (error) {
    if (isDuplicate(error)) return undefined;
    throw error;
  }
}

function stateOf(part: ProducerPart | undefined): { outstanding: number; revision: number } {
  return { outstanding: part?.held ?? 0, revision: part?.revision ?? 0 };
}

/** Releases units; undefined when the fencing token is no longer the producer's last. */
export async function release({ usage }: Collections, one: LeaseRelease): Promise<LeaseRelease | undefined> {
  const { project, month, producer, units, revision } = one;
  const part = `lanes.${producer}`;
  const { matchedCount } = await usage.updateOne(
    { _id: idOf(project, month), [`${part}.revision`]: revision },
    { $inc: { taken: -units, [`${part}.held`]: -units, [`${part}.revision`]: 1 } },
  );
  return matchedCount === 0 ? undefined : { ...one, revision: revision + 1 };
}
