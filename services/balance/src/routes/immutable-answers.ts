import { LRUCache } from 'lru-cache';
import { sendCacheable, type CacheableBody } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';

/** Immutable answers by their exact URL: served again before anything is parsed. */
export interface ImmutableAnswers {
  /** Keeps a 200's body for a URL; the least recently used ones are evicted. */
  keep(url: string, answer: CacheableBody): void;
}

/** The memory of a cached answer in addition to its text. */
const OVERHEAD_BYTES = 200;

/** Adds the cache of immutable answers to a server. @param maxBytes its limit in all */
export function addImmutableAnswers(app: HttpServer, maxBytes: number): ImmutableAnswers {
  const kept = new LRUCache<string, CacheableBody>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, url) => 2 * (body.length + url.length) + OVERHEAD_BYTES,
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { method, url } = request;
    const answer = method === 'GET' || method === 'HEAD' ? kept.get(url) : undefined;
    if (answer === undefined) done();
    else sendCacheable(request, reply, answer, true);
  });
  return { keep: (url, answer) => void kept.set(url, answer) };
}
