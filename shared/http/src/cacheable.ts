/** Validators and lifetimes of answers (RFC 9110, section 8.8; RFC 9111; RFC 8246 for `immutable`). */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { CODINGS, encodeText, LEAST_CODED_BYTES, preferredCoding, type Coding } from './content-coding.ts';

/** An answer's body with its validator. */
export interface CacheableBody {
  readonly body: string;
  /** A strong entity tag, with its quotes. */
  readonly etag: string;
  /** Its media type; JSON when not given. */
  readonly type?: string | undefined;
  /** True if the request's `Accept` selects the media type. */
  readonly isNegotiated?: boolean | undefined;
}

/** A year, the longest that HTTP caches keep anything. */
const FOR_GOOD = 'private, max-age=31536000, immutable';
const ASK_FIRST = 'private, no-cache';

const JSON_TYPE = 'application/json; charset=utf-8';

/** A body's strong entity tag, with its quotes. */
export function etagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
}

export function withEtag(body: string): CacheableBody {
  return { body, etag: etagOf(body) };
}

/**
 * Sends an answer with its validator, or 304 if the client has it already. A long one is compressed for
 * clients that accept that. Each coding has another tag, and any of them shows that the client has the
 * answer.
 * @param immutable true if the answer can never change: its block is finalized
 */
export function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: CacheableBody,
  immutable: boolean,
): FastifyReply {
  const { body } = answer;
  const mayBeCoded = body.length >= LEAST_CODED_BYTES;
  const coding = mayBeCoded ? preferredCoding(request.headers['accept-encoding']) : undefined;
  const etag = coding === undefined ? answer.etag : codedTag(answer.etag, coding);
  reply.header('etag', etag).header('cache-control', immutable ? FOR_GOOD : ASK_FIRST);
  const vary = [...(answer.isNegotiated ? ['accept'] : []), ...(mayBeCoded ? ['accept-encoding'] : [])];
  if (vary.length > 0) reply.header('vary', vary.join(', '));
  if (isKnown(request, answer.etag)) return reply.code(304).send();
  reply.type(answer.type ?? JSON_TYPE);
  return coding === undefined ? reply.send(body) : sendCoded(reply, body, coding);
}

/**
 * Sends the answer to a POST, which no cache keeps; a long one is compressed for clients that accept that.
 * @param type its media type
 */
export function sendUncached(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string,
  type = JSON_TYPE,
): FastifyReply {
  const mayBeCoded = body.length >= LEAST_CODED_BYTES;
  const coding = mayBeCoded ? preferredCoding(request.headers['accept-encoding']) : undefined;
  reply.header('cache-control', 'no-store').type(type);
  if (mayBeCoded) reply.header('vary', 'accept-encoding');
  return coding === undefined ? reply.send(body) : sendCoded(reply, body, coding);
}

/** The answer is sent once it is compressed; until then the reply counts as not sent. */
function sendCoded(reply: FastifyReply, body: string, coding: Coding): FastifyReply {
  encodeText(body, coding).then(
    (coded) => reply.header('content-encoding', coding).send(coded),
    (error: unknown) => reply.send(error),
  );
  return reply;
}

/** A strong tag names the very bytes (RFC 9110, section 8.8.3.3): `"x"` is `"x-gzip"` when it is gzipped. */
export function codedTag(etag: string, coding: Coding): string {
  return `${etag.slice(0, -1)}-${coding}"`;
}

/**
 * True if the client has the answer already, in any coding: `If-None-Match` compares weakly.
 * @param etag of the uncompressed answer
 */
export function isKnown({ headers }: { readonly headers: IncomingHttpHeaders }, etag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined) return false;
  if (known.trim() === '*') return true;
  return known.split(',').some((tag) => {
    const plain = tag.trim().replace(/^W\//, '');
    return plain === etag || CODINGS.some((coding) => plain === codedTag(etag, coding));
  });
}
