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
 * The trace that is under way, as a `traceparent`: to be kept with what is done later on its account. Undefined where
 * nothing is traced.
 */
export function currentTraceparent(of: Context = context.active()): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(of, carrier);
  return carrier.traceparent;
}

/** Writes the trace that is under way into headers (names, lower-cased, and values in turn), over the caller's own. */
export function injectTrace(headers: string[]): void {
  propagation.inject(context.active(), headers, IN_TURN);
}
