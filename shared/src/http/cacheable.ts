/** Validators and lifetimes of answers (RFC 9110, section 8.8; RFC 9111; RFC 8246 for `immutable`). */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** An answer's body with its validator. */
export interface CacheableBody {
  readonly body: string;
  /** A strong entity tag, with its quotes. */
  readonly etag: string;
}

/** A year: as long as HTTP's caches keep anything. */
const FOR_GOOD = 'private, max-age=31536000, immutable';
const ASK_FIRST = 'private, no-cache';

/** Computes a body's validator. */
export function withEtag(body: string): CacheableBody {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
}

/**
 * Sends an answer with its validator, or 304 where the client has it already.
 * @param immutable whether the answer can never change: it is about a finalized block
 */
export function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag }: CacheableBody,
  immutable: boolean,
): FastifyReply {
  reply.header('etag', etag).header('cache-control', immutable ? FOR_GOOD : ASK_FIRST);
  const known = request.headers['if-none-match'];
  if (known !== undefined && matches(known, etag)) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(body);
}

/** `If-None-Match` compares weakly, and a compressed answer's tag carries its coding. */
function matches(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  const opaque = etag.slice(0, -1);
  return header.split(',').some((tag) => {
    const plain = tag.trim().replace(/^W\//, '');
    return (
      plain === etag ||
      (/^-(?:gzip|br|deflate|zstd)"$/.test(plain.slice(opaque.length)) && plain.startsWith(opaque))
    );
  });
}
