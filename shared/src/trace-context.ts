import { context, propagation, type Context } from '@opentelemetry/api';

/**
 * The trace that is under way, as a `traceparent`: to be kept with what is done later on its account. Undefined where
 * nothing is traced.
 */
export function currentTraceparent(of: Context = context.active()): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(of, carrier);
  return carrier.traceparent;
}
