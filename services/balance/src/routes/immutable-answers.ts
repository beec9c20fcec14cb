import { LRUCache } from 'lru-cache';
import { sendCacheable, type CacheableBody } from '@hindsight/http/cacheable.ts';
import type { HttpServer } from '@hindsight/http/types.ts';

/** Answers that can never change, by the very URL that was asked: served again before anything is parsed. */
export interface ImmutableAnswers {
  /** Keeps a 200's body for a URL; the least recently used ones make room. */
  keep(url: string, answer: CacheableBody): void;
}

/** What a kept answer takes beside its text. */
const OVERHEAD_BYTES = 200;

/** Adds the memory of immutable answers to a server. @param maxBytes what it may take in all */
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
