import { OPERATIONS } from '@hindsight/api/operations.ts';
import { networkParam } from '@hindsight/chain/params.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { STREAM_HEADER } from '@hindsight/http/stream-name.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import { fromStore } from '@hindsight/stores/from-store.ts';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { endType, toEndData } from '../domain/order-end.ts';
import { toEventData } from '../domain/order-event.ts';
import type { BatchEntry, PublishedHead } from '../ports.ts';
import type { PublishedFeed } from '../published-feed.ts';
import type { OrderChain } from './chains.ts';
import type { Readable as Readers } from './list-orders.ts';
import { endEvents, orderEvent } from './order-event.ts';
import { projectOf } from './project-of.ts';

/** Keeps proxies from closing idle connections, and shows clients that this one is alive. */
export const KEEP_ALIVE_MS = 15_000;
/** Milliseconds that a browser waits before it opens the stream again. */
const RETRY_MS = 2_000;
const CATCH_UP_MS = 3_000;

const position = z
  .string()
  .max(200)
  .regex(/^(0|[\w/-]{1,100}:\d{1,15})$/, 'expected the id of an event, or 0')
  .optional()
  .meta({
    description:
      'The id of an event: the stream begins right after it. `0` begins with the oldest event that is kept. The header ' +
      '`Last-Event-ID` comes first.',
  });
const querystring = z.strictObject({ last_event_id: position });

export const ordersStream = {
  ...OPERATIONS.streamOrders,
  tag: 'Orders',
  summary: 'Stream orders',
  description:
    'Server-sent events (`text/event-stream`): an `order-received` event for each order, in the order of their publication, ' +
    'as they come; and `order-filled`, `order-cancelled` or `order-expired` once its end is final, with the data of the topic ' +
    '`orders.settled` (`OrderFilled`, `OrderCancelled`, `OrderExpired`). The `data` of an `order-received` event is the order, as JSON. Its `id` names the source and the sequence: sent back as ' +
    '`Last-Event-ID`, as browsers do by themselves, or as `last_event_id`, the stream continues right after it; nothing is ' +
    'lost or repeated. The stream ends after 15 minutes: open it again after its last event. Without an id it begins with ' +
    'what is received from now on. The first record has only an `id`: the position at the beginning. A comment every 15 s shows that the stream is alive. Orders are kept for 30 days at least, and ' +
    'until their deadline, a year at most. Costs one unit at its opening. A project may have five streams open at a time, ' +
    'an address with the demo key one. The operator may limit each project to the orders that its own keys have sent.',
  params: z.object({ network: networkParam(NETWORKS) }),
  querystring,
  success: {
    status: 200,
    name: 'OrderEvent',
    schema: orderEvent,
    cacheable: false,
    description: 'Events, as they come; the schemas are those of their data',
    lines: ['text/event-stream'],
    otherLines: endEvents,
  },
  codes: ['unknown_network', 'invalid_parameter', 'unknown_parameter', 'repeated_parameter'],
  errors: {
    400: 'The id is not that of an event of this installation, or there is another parameter; the message names it',
    404: 'No such network',
    503: 'Orders cannot be read at the moment',
  },
} as const satisfies ApiOperation;

interface StreamDeps {
  readonly chains: ReadonlyMap<string, OrderChain>;
  readonly feed: PublishedFeed;
  readonly keepAliveMs: number;
  readonly readable: Readers;
}

/** GET /v1/{network}/orders/stream: published orders, one after another. */
export function addOrdersStream(app: HttpServer, { chains, feed, keepAliveMs, readable }: StreamDeps): void {
  const params = z.object({ network: networkParam(chains) });
  const stopping = new AbortController();
  const bytesOf = bytesMaker();
  // Readers go on elsewhere, or here after the restart.
  app.addHook('preClose', (done) => {
    stopping.abort();
    done();
  });
  app.get(ordersStream.path, { schema: { params, querystring } }, async (request, reply) => {
    const { 'last-event-id': header } = request.headers;
    const asked = position.safeParse(header).data ?? request.query.last_event_id;
    if (header !== undefined && asked !== header) throw badRequest(`Last-Event-ID: ${EXPECTED}`);
    const left = new AbortController();
    void once(reply.raw, 'close').then(() => left.abort());
    const signal = AbortSignal.any([left.signal, stopping.signal]);
    const { source, after } = await beginning(feed, asked, signal);
    const { name } = request.params.network;
    const project = readable === 'own' ? projectOf(request) : undefined;
    reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      [STREAM_HEADER]: project === undefined ? name : `${name}/${project}`,
    });
    if (request.method === 'HEAD') return reply.send();
    const stream = { feed, bytesOf, source, network: name, project, keepAliveMs, signal };
    return reply.send(Readable.from(events(stream, after), { highWaterMark: 1 }));
  });
}

const EXPECTED = 'expected the id of an event of this stream, or 0';

/**
 * The first position of a stream. @throws {ApiError} 400 for an id that is not of this installation; 503
 * without the store
 */
async function beginning(
  feed: PublishedFeed,
  id: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly source: string; readonly after: number }> {
  const head = (): Promise<PublishedHead> => fromStore(feed.head(), 'Orders cannot be read at the moment.');
  const { source, sequence: last } = await head();
  if (id === undefined) return { source, after: last };
  if (id === '0') return { source, after: 0 };
  const colon = id.lastIndexOf(':');
  const after = Number(id.slice(colon + 1));
  const isOurs = id.slice(0, colon) === source;
  // Another instance, which sent it, may have read the store a moment later.
  if (isOurs && after > last) await feed.reaches(after, CATCH_UP_MS, signal);
  if (!isOurs || after > (await head()).sequence)
    throw badRequest(`last_event_id: there is no such event here; ${EXPECTED}`);
  return { source, after };
}

interface OpenStream {
  readonly feed: PublishedFeed;
  readonly bytesOf: ReturnType<typeof bytesMaker>;
  readonly source: string;
  readonly network: string;
  /** The project whose orders are sent; all if not given. */
  readonly project: string | undefined;
  readonly keepAliveMs: number;
  readonly signal: AbortSignal;
}

async function* events(
  { feed, bytesOf, source, network, project, keepAliveMs, signal }: OpenStream,
  after: number,
): AsyncGenerator<string | Buffer, void> {
  // The position alone: a client that is cut off before the first event resumes here.
  yield `retry: ${RETRY_MS}\nid: ${source}:${after}\n\n`;
  let last = after;
  let writtenAt = performance.now();
  while (!signal.aborted) {
    const rest = Math.max(keepAliveMs - (performance.now() - writtenAt), 0);
    const entries = await feed.next(last, rest, signal);
    const own = entries.filter(
      ({ record }) => record.network === network && (project ?? record.projectId) === record.projectId,
    );
    last = entries.at(-1)?.sequence ?? last;
    if (own.length > 0) yield bytesOf(source, own);
    else if (performance.now() - writtenAt >= keepAliveMs) yield ': keep-alive\n\n';
    else continue;
    writtenAt = performance.now();
  }
}

/**
 * Writes each entry, and entries that many streams send together, once for all of them. The first entry and their number tell
 * which they are, because a stream skips only those of other networks and projects.
 */
function bytesMaker(): (source: string, entries: readonly BatchEntry[]) => Buffer {
  const texts = new WeakMap<BatchEntry, string>();
  const joined = new WeakMap<BatchEntry, { readonly count: number; readonly bytes: Buffer }>();
  const textOf = (source: string, entry: BatchEntry): string => {
    const text = texts.get(entry) ?? toText(source, entry);
    texts.set(entry, text);
    return text;
  };
  return (source, entries) => {
    const first = entries[0]!;
    const known = joined.get(first);
    if (known?.count === entries.length) return known.bytes;
    const bytes = Buffer.from(entries.map((entry) => textOf(source, entry)).join(''));
    joined.set(first, { count: entries.length, bytes });
    return bytes;
  };
}

function toText(source: string, { sequence, record, end }: BatchEntry): string {
  const [type, data] = end
    ? ([endType(end.state), toEndData({ record, ...end })] as const)
    : (['order-received', toEventData(record)] as const);
  // The project of an order stays between that project and the operator.
  const { projectId: _, ...order } = data;
  return `id: ${source}:${sequence}\nevent: ${type}\ndata: ${JSON.stringify(order)}\n\n`;
}
