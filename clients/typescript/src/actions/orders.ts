import { ConnectionError } from '../errors.ts';
import type { components } from '../openapi.ts';
import { readEvents } from '../server-sent-events.ts';
import type { Transport } from '../transport.ts';

/** A signed order that the webhook accepted, decoded. */
export type ReceivedOrder = components['schemas']['OrderEvent'];

/** An event of the stream. */
export interface OrderEvent {
  /** Resumes right behind this event, given as `lastEventId`. */
  readonly id: string;
  readonly type: 'order-received';
  readonly order: ReceivedOrder;
}

/** From where on. */
export interface OrdersQuestion {
  /**
   * Continues behind this event; `0` begins with the oldest that is kept. Default: only orders received from
   * now on
   */
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Orders as they are received, in order, without loss or repetition: a broken connection is opened again
 * behind the last event. Endless; stop by leaving the loop or by `signal`.
 */
export async function* streamOrders(
  transport: Transport,
  { lastEventId, signal }: OrdersQuestion = {},
): AsyncGenerator<OrderEvent, void> {
  let last = lastEventId;
  for (let failures = 0; ;) {
    const question = {
      path: transport.pathTo('streamOrders'),
      query: { last_event_id: last },
      accept: 'text/event-stream',
      signal,
    };
    try {
      for await (const { id, type, data } of readEvents(transport.stream(question, failures + 1))) {
        failures = 0;
        last = id ?? last;
        if (type === 'order-received' && id !== undefined)
          yield { id, type, order: JSON.parse(data) as ReceivedOrder };
      }
      throw new ConnectionError('the stream ended');
    } catch (error) {
      failures += 1;
      await transport.pauseBeforeRetry(error, failures, signal);
    }
  }
}
