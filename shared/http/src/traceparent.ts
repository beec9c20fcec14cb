import type { IncomingHttpHeaders } from 'node:http';

/** W3C Trace Context, version 00 and whatever is compatible with it. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** The caller's `traceparent`, where it is well-formed. */
export function callersTraceparent({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}
