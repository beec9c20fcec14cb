/** A body of many rows: what it may cost is known from its length before it is forwarded. */
import type { IncomingHttpHeaders } from 'node:http';
import { bodyTooLarge, lengthRequired, refuseCompressed } from '@hindsight/http/unread-body.ts';

/**
 * The declared length of a body in bytes.
 * @throws {ApiError} 415 for a compressed one, 411 for one without a length, 413 beyond the limit
 */
export function declaredBytes(headers: IncomingHttpHeaders, maxBytes: number): number {
  refuseCompressed(headers);
  const { 'content-length': length } = headers;
  if (length === undefined) throw lengthRequired();
  if (Number(length) > maxBytes) throw bodyTooLarge(maxBytes);
  return Number(length);
}
