import { OPERATIONS } from '@hindsight/api/operations.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';
import { TooManyOrders } from './admission.ts';
import { RefusedOrder } from './domain/refusal.ts';
import type { Outbox } from './ports.ts';

export interface OrderMetrics {
  readonly published: (orders: number) => void;
  readonly deadLettered: () => void;
}

/** Orders that wait are counted up to here: to count more would load the store. */
const COUNT_UP_TO = 100_000;

interface Deps {
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Counts what is accepted, refused (by the check that failed), published and dead-lettered. */
export function measureOrders(app: HttpServer, { outbox, clock, telemetry }: Deps): OrderMetrics {
  const meter = telemetry.meter('orders');
  const received = meter.createCounter('orders_received_total', {
    description: 'Orders answered 201: new, known, or pending their contract',
  });
  const refused = meter.createCounter('orders_refused_total', {
    description: 'Orders refused, by the check that they did not pass',
  });
  const published = meter.createCounter('orders_published_total', { description: 'Orders published' });
  const deadLettered = meter.createCounter('orders_dead_lettered_total', {
    description: 'Orders whose signature could not be verified',
  });
  // The alert asks for an increase, and a counter that begins with its first event has none.
  deadLettered.add(0);
  const waiting = meter.createObservableGauge('orders_outbox_waiting', {
    description: 'Orders, and ends of orders, that are not yet published',
  });
  waiting.addCallback(async (result) => {
    const count = await outbox.waiting(COUNT_UP_TO).catch(() => undefined);
    if (count !== undefined) result.observe(count);
  });
  const age = telemetry.meter('hindsight.orders').createObservableGauge('hindsight.orders.outbox.age', {
    unit: 's',
    description: 'Since the oldest unpublished order was received, or the oldest unpublished end was decided',
  });
  age.addCallback(async (result) => {
    const since = await outbox.waitingSince().catch(() => null);
    if (since !== null) result.observe(since === undefined ? 0 : Math.max(0, clock.now() - since) / 1000);
  });
  app.addHook('onError', async ({ routeOptions }, _reply, error: Error) => {
    if (routeOptions.url === OPERATIONS.submitOrder.path) refused.add(1, { reason: reasonOf(error) });
  });
  app.addHook('preSerialization', async (_request, _reply, payload: unknown) => {
    const result = resultOf(payload);
    if (result !== undefined) received.add(1, { result });
    return payload;
  });
  return { published: (orders) => published.add(orders), deadLettered: () => deadLettered.add(1) };
}

function reasonOf(error: Error): string {
  if (error instanceof RefusedOrder) return error.reason;
  if (error instanceof TooManyOrders) return 'overload';
  if (error instanceof ApiError) return error.statusCode === 400 ? 'shape' : String(error.statusCode);
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' && statusCode < 500 ? 'body' : 'failure';
}

function resultOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('orderHash' in payload)) return undefined;
  const { duplicate, pending } = payload as { duplicate?: boolean; pending?: boolean };
  if (duplicate) return 'duplicate';
  return pending ? 'pending' : 'new';
}
