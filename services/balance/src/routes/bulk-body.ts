/** Bodies with many rows: checks before any of it is read. */
import { bodyTooLarge, lengthRequired, refuseCompressed, unreadBody } from '@hindsight/http/unread-body.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import type { FastifyRequest } from 'fastify';

/** The bodies that a route takes. */
export interface BulkBody<T extends string> {
  readonly types: readonly T[];
  readonly maxBytes: number;
  /** Expected contents: `a JSON array of rows`. */
  readonly expected: string;
}

/**
 * The type of a request's body.
 * @throws {ApiError} 400 for an empty body; 411 for one without its length, which bounds the request's cost;
 * 413; 415 for another type, another charset, or a compressed body, whose length says nothing of its rows
 */
export function checkBulkBody<T extends string>(
  { headers }: FastifyRequest,
  { types, maxBytes, expected }: BulkBody<T>,
): T {
  refuseCompressed(headers);
  const { 'content-length': length, 'transfer-encoding': chunks } = headers;
  // A request with neither has no body; the gateway passes on an empty one without its length.
  if (length === '0' || (length === undefined && chunks === undefined))
    throw badRequest(`body: it is empty; expected ${expected}`, 'invalid_body');
  if (length === undefined) throw lengthRequired();
  if (Number(length) > maxBytes) throw bodyTooLarge(maxBytes);
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const found = types.find((known) => known === type.trim());
  if (found === undefined)
    throw unreadBody('unsupported_media_type', `content-type: expected ${types.join(', ')}`);
  const charset = parameters.map((text) => /^\s*charset="?([^"\s]*)"?\s*$/.exec(text)?.[1]).find(Boolean);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii')
    throw unreadBody('unsupported_media_type', 'content-type: expected the charset utf-8');
  return found;
}

/** A hook that refuses a body of another kind, or too long a one, before any of it is read. */
export function refuseOther(body: BulkBody<string>) {
  return (request: FastifyRequest, _reply: unknown, done: () => void): void => {
    checkBulkBody(request, body);
    done();
  };
}
