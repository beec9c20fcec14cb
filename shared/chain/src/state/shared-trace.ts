/** Work that several callers share, each in another trace. */
import { context, ROOT_CONTEXT, trace, type Context } from '@opentelemetry/api';

/** Links of one span. */
const MAX_LINKS = 64;

/**
 * Runs the work in the trace of the first caller that is recorded. Where others are recorded too, each trace has a span for the
 * shared work: the first one's holds the work and links to the others, which link to it.
 */
export async function inSharedTrace<T>(callers: readonly Context[], work: () => Promise<T>): Promise<T> {
  const [first, ...others] = recorded(callers);
  if (first === undefined) return context.with(callers[0] ?? ROOT_CONTEXT, work);
  if (others.length === 0) return context.with(first, work);
  const tracer = trace.getTracer('hindsight.chain');
  const attributes = { 'hindsight.callers': others.length + 1 };
  const holder = tracer.startSpan('shared call', { attributes }, first);
  const links = [{ context: holder.spanContext() }];
  const waiting = others.map((other) => tracer.startSpan('shared call', { attributes, links }, other));
  holder.addLinks(waiting.slice(0, MAX_LINKS).map((span) => ({ context: span.spanContext() })));
  try {
    return await context.with(trace.setSpan(first, holder), work);
  } finally {
    for (const span of [holder, ...waiting]) span.end();
  }
}

/** One context of each trace that is recorded. */
function recorded(callers: readonly Context[]): Context[] {
  const byTrace = new Map<string, Context>();
  for (const caller of callers) {
    const span = trace.getSpan(caller);
    if (span?.isRecording() !== true) continue;
    const { traceId } = span.spanContext();
    if (!byTrace.has(traceId)) byTrace.set(traceId, caller);
  }
  return [...byTrace.values()];
}
