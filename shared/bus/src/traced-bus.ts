import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { BusEvent, TopicRegistry } from '@hindsight/events/topic.ts';
import { currentTraceparent } from '@hindsight/kernel/telemetry/trace-context.ts';
import type { Bus, Handler } from './port.ts';

/** Traces that a batch's span is linked to. */
const MAX_LINKS = 64;

/**
 * A bus that propagates the trace context: an event published in a trace gets its `traceparent`, unless it
 * already has one, and the handler continues it. A batch from several traces starts a new trace with links to
 * them; so does a publish outside of any trace, such as an outbox's. Useful only where traces are exported.
 * @param system the log's name in OpenTelemetry's conventions
 */
export function traceBus<Registry extends TopicRegistry>(bus: Bus<Registry>, system: string): Bus<Registry> {
  const tracer = trace.getTracer('hindsight.bus');
  return {
    ...bus,
    publish(topic, events) {
      const inTrace = trace.getActiveSpan() !== undefined;
      const { parent, links } = inTrace ? { parent: context.active(), links: [] } : origin(events);
      const attributes = {
        ...about(system, 'send', topic),
        'messaging.batch.message_count': events.length,
      };
      const span = tracer.startSpan(`send ${topic}`, { kind: SpanKind.PRODUCER, attributes, links }, parent);
      const traceparent = currentTraceparent(trace.setSpan(parent, span));
      const stamped = events.map((event) => (traceparent === undefined ? event : { traceparent, ...event }));
      return ending(span, () => bus.publish(topic, stamped));
    },
    subscribe: (options, handler) =>
      bus.subscribe(options, traced(tracer, { system, group: options.group }, handler)),
  };
}

function traced<Received extends BusEvent>(
  tracer: Tracer,
  { system, group }: { readonly system: string; readonly group: string },
  handler: Handler<Received>,
): Handler<Received> {
  return async (events, batch) => {
    const { parent, links } = origin(events);
    const attributes = {
      ...about(system, 'process', batch.topic),
      'messaging.consumer.group.name': group,
      'messaging.destination.partition.id': String(batch.partition),
      'messaging.batch.message_count': events.length,
    };
    const span = tracer.startSpan(
      `process ${batch.topic}`,
      { kind: SpanKind.CONSUMER, attributes, links },
      parent,
    );
    await ending(span, () => context.with(trace.setSpan(parent, span), () => handler(events, batch)));
  };
}

async function ending(span: Span, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function about(system: string, operation: 'send' | 'process', topic: string): Attributes {
  return {
    'messaging.system': system,
    'messaging.operation.type': operation,
    'messaging.operation.name': operation,
    'messaging.destination.name': topic,
  };
}

/** The one trace of all events, or links to several. */
function origin(events: readonly BusEvent[]): { parent: Context; links: Link[] } {
  const given = new Set(events.map(({ traceparent }) => traceparent).filter((text) => text !== undefined));
  const contexts = [...given]
    .slice(0, MAX_LINKS)
    .map((traceparent) => propagation.extract(ROOT_CONTEXT, { traceparent }));
  const [first] = contexts;
  if (first !== undefined && given.size === 1) return { parent: first, links: [] };
  const spans = contexts.map((from) => trace.getSpanContext(from));
  return {
    parent: ROOT_CONTEXT,
    links: spans.filter((span) => span !== undefined).map((span) => ({ context: span })),
  };
}
