/** Units by lease: conditional updates of one document. */
import { recordKey } from '../../calendar.ts';
import { ifDuplicate } from '@hindsight/stores/mongodb-errors.ts';
import { batchOf } from '../../lease.ts';
import type { Lease, LeaseRelease, LeaseRequest } from '../../ports.ts';
import type { Collections, ProducerPart, UsageDocument } from './documents.ts';

/** Leases a share of what is left; undefined on a write conflict. */
export async function take(collections: Collections, request: LeaseRequest): Promise<Lease | undefined> {
  const { producer, limit, waiting, atHand, most } = request;
  const sized = await takeSized(collections, request);
  if (sized !== undefined) return sized;
  const projection = projectionOf(producer);
  const seen = await collections.usage.findOne({ _id: recordKey(request) }, { projection });
  const unclaimed = Math.max(limit - (seen?.taken ?? 0), 0);
  const units = batchOf(unclaimed, waiting, atHand, most);
  if (units === 0) return { units, unclaimed, ...stateOf(seen?.lanes?.[producer]) };
  // The record may have changed since it was read; the update itself checks the limit.
  const acquired = acquire(collections, request, units, limit - units, seen === null).then((before) =>
    // Null when this very update has created it, or when others have acquired too much since.
    before === null && seen !== null ? undefined : leaseOf(request, units, before),
  );
  return ifDuplicate(acquired, () => undefined);
}

/**
 * Leases without reading the record, by its sender's knowledge of it. Undefined where that is not known, or
 * where less than half of the expected units is left: the batch would be too large a share.
 */
async function takeSized(collections: Collections, request: LeaseRequest): Promise<Lease | undefined> {
  const { limit, waiting, atHand, most, taken } = request;
  if (taken === undefined || taken >= limit) return undefined;
  const units = batchOf(limit - taken, waiting, atHand, most);
  if (units === 0) return undefined;
  const atMost = Math.min(limit - units, limit - Math.ceil((limit - taken) / 2));
  const before = await acquire(collections, request, units, atMost, false);
  return before === null ? undefined : leaseOf(request, units, before);
}

/** The record before it; null if no record has so little taken. */
function acquire(
  { usage }: Collections,
  request: LeaseRequest,
  units: number,
  atMost: number,
  upsert: boolean,
): Promise<Pick<UsageDocument, 'taken' | 'lanes'> | null> {
  const { month, producer } = request;
  const part = `lanes.${producer}`;
  return usage.findOneAndUpdate(
    { _id: recordKey(request), taken: { $lte: atMost } },
    {
      $inc: { taken: units, [`${part}.held`]: units, [`${part}.revision`]: 1 },
      $addToSet: { holders: producer },
      $setOnInsert: { month, requests: 0, orders: 0 },
    },
    { upsert, returnDocument: 'before', projection: projectionOf(producer) },
  );
}

function projectionOf(producer: string): Record<string, 1> {
  return { taken: 1, [`lanes.${producer}`]: 1 };
}

function leaseOf(
  { limit, producer }: LeaseRequest,
  units: number,
  before: Pick<UsageDocument, 'taken' | 'lanes'> | null,
): Lease {
  const { outstanding, revision } = stateOf(before?.lanes?.[producer]);
  return { units, outstanding, revision: revision + 1, unclaimed: limit - (before?.taken ?? 0) - units };
}

function stateOf(part: ProducerPart | undefined): { outstanding: number; revision: number } {
  return { outstanding: part?.held ?? 0, revision: part?.revision ?? 0 };
}

/** Releases units; undefined when the fencing token is no longer the producer's last. */
export async function release({ usage }: Collections, one: LeaseRelease): Promise<LeaseRelease | undefined> {
  const { producer, units, revision } = one;
  const part = `lanes.${producer}`;
  const { matchedCount } = await usage.updateOne(
    { _id: recordKey(one), [`${part}.revision`]: revision },
    { $inc: { taken: -units, [`${part}.held`]: -units, [`${part}.revision`]: 1 } },
  );
  return matchedCount === 0 ? undefined : { ...one, revision: revision + 1 };
}
