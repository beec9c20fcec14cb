import { id as hashOf } from 'ethers/hash';
import type { OrderRecord } from './order-event.ts';

/**
 * Identifies one sender's claim of an order. The order's hash covers neither the signature nor the cosigner's data, so a
 * forged claim must not block the true one.
 */
export function claimOf({ id, payload }: Pick<OrderRecord, 'id' | 'payload'>): string {
  return `${id}:${hashOf(`${payload.signature}:${payload.encodedOrder}`).slice(2, 34)}`;
}
