import { LRUCache } from 'lru-cache';
import { sendCacheable, withEtag, type CacheableBody } from '@hindsight/http/cacheable.ts';
import { preferredType } from '@hindsight/http/content-coding.ts';
import { nextLink } from '@hindsight/http/next-link.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { setUnits } from '@hindsight/http/units.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CSV_TYPE, writeTable, type Table } from '../rows/csv-table.ts';

/** An answer's body, and what it costs each time. */
export interface PricedBody extends CacheableBody {
  /** One unit when not given. */
  readonly units?: number | undefined;
  /** Makes a table of the body, for clients that prefer CSV; there is none when not given. */
  readonly toTable?: ((body: string) => Table) | undefined;
  /** The cursor of the next page, where there is one: a table has no room for it. */
  readonly next?: string | null | undefined;
}

/** Sends an answer and names its cost. @param immutable whether the answer can never change */
export function sendPriced(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: PricedBody,
  immutable: boolean,
): FastifyReply {
  const { units, toTable, next } = answer;
  if (units !== undefined) setUnits(reply, units);
  if (typeof next === 'string') reply.header('link', nextLink(request.url, { cursor: next }));
  if (toTable === undefined) return sendCacheable(request, reply, answer, immutable);
  const sent = prefersCsv(request) ? asCsv(answer.body, toTable) : answer;
  return sendCacheable(request, reply, { ...sent, isNegotiated: true }, immutable);
}

export function prefersCsv({ headers }: FastifyRequest): boolean {
  return preferredType(headers.accept, ['application/json', 'text/csv']) === 'text/csv';
}

function asCsv(body: string, toTable: (body: string) => Table): CacheableBody {
  return { ...withEtag(writeTable(toTable(body))), type: CSV_TYPE };
}

/** The memory of a cached answer in addition to its text. */
const OVERHEAD_BYTES = 200;

/** Keeps a 200's body for its exact URL: it is served again before anything is parsed. */
export type KeepImmutable = (url: string, answer: PricedBody) => void;

/** Adds the cache of immutable answers to a server. @param maxBytes its limit in all: the least recently used ones are evicted */
export function addImmutableAnswers(app: HttpServer, maxBytes: number): KeepImmutable {
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
  return (url, answer) => void kept.set(url, answer);
}
