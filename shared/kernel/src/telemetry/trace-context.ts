import { context, propagation, type Context, type TextMapSetter } from '@opentelemetry/api';

const IN_TURN: TextMapSetter<string[]> = {
  set(headers, name, value) {
    for (let at = 0; at < headers.length; at += 2) {
      if (headers[at] !== name) continue;
      headers[at + 1] = value;
      return;
    }
    headers.push(name, value);
  },
};

/**
 * The current trace as a `traceparent`, to be stored with work that is done later on its behalf. Undefined if nothing
 * is traced.
 */
export function currentTraceparent(of: Context = context.active()): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(of, carrier);
  return carrier.traceparent;
}

/** Writes the current trace into headers (alternating lower-case names and values), over the caller's own. */
export function injectTrace(headers: string[]): void {
  propagation.inject(context.active(), headers, IN_TURN);
}
