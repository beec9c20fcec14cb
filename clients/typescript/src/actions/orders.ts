import { ConnectionError } from '../errors.ts';
import { parsed } from '../ndjson.ts';
import type { components } from '../openapi.ts';
import { readEvents } from '../server-sent-events.ts';
import type { Transport } from '../transport.ts';
import { readPages } from './pages.ts';

/** A signed order that the webhook accepted, decoded. */
export type ReceivedOrder = components['schemas']['OrderEvent'];

/** An order and its state: open, filled, cancelled or expired. */
export type Order = components['schemas']['Order'];

type Page = components['schemas']['Orders'];

/** Filters of a list. An order matches all that are given. */
export interface OrderListQuestion {
  readonly status?: Order['state']['status'] | undefined;
  /** The account that signed them. */
  readonly swapper?: string | undefined;
  /** The account that filled them. */
  readonly filler?: string | undefined;
  readonly type?: 'Dutch' | 'Limit' | 'Dutch_V2' | 'Dutch_V3' | 'Priority' | undefined;
  /** Only orders that keys of this project have sent. */
  readonly own?: true | undefined;
  /** Orders in a request: at most 500. Default: 100 */
  readonly pageSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An event of the stream. */
export interface OrderEvent {
  /** Resumes right after this event, given as `lastEventId`. */
  readonly id: string;
  readonly type: 'order-received';
  readonly order: ReceivedOrder;
}

interface Ends {
  readonly 'order-filled': components['schemas']['OrderFilled'];
  readonly 'order-cancelled': components['schemas']['OrderCancelled'];
  readonly 'order-expired': components['schemas']['OrderExpired'];
}

/** An event of the stream: how an order ended, once that is final. `type` says which fields `order` has. */
export type OrderEndEvent = {
  [Type in keyof Ends]: {
    /** Resumes right after this event, given as `lastEventId`. */
    readonly id: string;
    readonly type: Type;
    readonly order: Ends[Type];
  };
}[keyof Ends];

/** From where on. */
export interface OrdersQuestion {
  /**
   * Continues after this event; `0` begins with the oldest that is kept. Default: only orders received from
   * now on
   */
  readonly lastEventId?: string | undefined;
  /** Also how orders end: `order-filled`, `order-cancelled`, `order-expired`. Default: only orders as they are received */
  readonly ends?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Orders as they are received, and with `ends` how they end, in order, without loss or repetition: a broken connection is
 * opened again after the last event. Endless; stop by leaving the loop or by `signal`.
 */
export async function* streamOrders(
  transport: Transport,
  { lastEventId, ends = false, signal }: OrdersQuestion = {},
): AsyncGenerator<OrderEvent | OrderEndEvent, void> {
  let last = lastEventId;
  let most = Infinity;
  for (let failures = 0; ;) {
    const question = {
      path: transport.pathTo('streamOrders'),
      query: { last_event_id: last },
      accept: 'text/event-stream',
      // A comment comes every 15 s.
      patienceMs: 30_000,
      signal,
    };
    try {
      for await (const { id, type, data } of readEvents(transport.stream(question, failures + 1))) {
        failures = 0;
        // It has begun, so it goes on.
        most = transport.retries || 1;
        last = id ?? last;
        // Later releases may have other types.
        if (id === undefined || !(type === 'order-received' || (ends && isEnd(type)))) continue;
        yield { id, type, order: parsed(data, 'an event') } as OrderEvent | OrderEndEvent;
      }
      throw new ConnectionError('the stream ended');
    } catch (error) {
      failures = Math.min(failures + 1, most);
      await transport.pauseBeforeRetry(error, failures, signal);
    }
  }
}

function isEnd(type: string): type is OrderEndEvent['type'] {
  return ['order-filled', 'order-cancelled', 'order-expired'].includes(type);
}

/** One order. @param orderHash 0x and 64 hexadecimal digits @throws {HindsightError} 404 `unknown_order` */
export function getOrder(transport: Transport, orderHash: string, signal?: AbortSignal): Promise<Order> {
  const path = transport.pathTo('getOrder').replace('{orderHash}', encodeURIComponent(orderHash));
  return transport.json<Order>({ path, query: {}, signal });
}

/** Orders, newest first, page after page; each page is a request. */
export async function* listOrders(
  transport: Transport,
  { pageSize = 100, signal, own, ...filters }: OrderListQuestion = {},
): AsyncGenerator<Order, void> {
  const path = transport.pathTo('listOrders');
  const asked = { ...filters, own: own && 'true', limit: pageSize };
  const pages = readPages((cursor) => transport.json<Page>({ path, query: { ...asked, cursor }, signal }));
  for await (const { orders } of pages) yield* orders;
}
