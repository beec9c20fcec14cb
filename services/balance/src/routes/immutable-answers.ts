import { LRUCache } from 'lru-cache';
import { sendCacheable, type CacheableBody } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** An answer's body, and what it costs each time. */
export interface PricedBody extends CacheableBody {
  /** One unit when not given. */
  readonly units?: number | undefined;
}

/** Immutable answers by their exact URL: served again before anything is parsed. */
export interface ImmutableAnswers {
  /** Keeps a 200's body for a URL; the least recently used ones are evicted. */
  keep(url: string, answer: PricedBody): void;
}

/** Sends an answer and names its cost. @param immutable whether the answer can never change */
export function sendPriced(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: PricedBody,
  immutable: boolean,
): FastifyReply {
  if (answer.units !== undefined) setUnits(reply, answer.units);
  return sendCacheable(request, reply, answer, immutable);
}

/** The memory of a cached answer in addition to its text. */
const OVERHEAD_BYTES = 200;

/** Adds the cache of immutable answers to a server. @param maxBytes its limit in all */
export function addImmutableAnswers(app: HttpServer, maxBytes: number): ImmutableAnswers {
  const kept = new LRUCache<string, PricedBody>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, url) => 2 * (body.length + url.length) + OVERHEAD_BYTES,
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { method, url } = request;
    const answer = method === 'GET' || method === 'HEAD' ? kept.get(url) : undefined;
    if (answer === undefined) done();
    else sendPriced(request, reply, answer, true);
  });
  return { keep: (url, answer) => void kept.set(url, answer) };
}
