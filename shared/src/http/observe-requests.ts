/** Every request measured and, where traces are sent, traced. Neither a query string nor a header gets into either. */
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import type { Telemetry } from '../telemetry.ts';
import { currentTraceparent } from '../trace-context.ts';
import type { HttpServer } from './types.ts';

/** Seconds. Beside OpenTelemetry's own: 1 and 2.5 ms for what is cached, 200 ms for the webhook's budget. */
const BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.2, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** Asked every few seconds by whoever watches over the process: no traces worth keeping. */
const PROBES = new Set(['/livez', '/readyz']);

/** What is counted for a request whose client left before its answer was complete (as nginx does). */
const CLIENT_LEFT = 499;

/** Adds the hooks. Must be called before any route is added. */
export function observeRequests(app: HttpServer, service: string, telemetry: Telemetry): void {
  const duration = telemetry.meter(`hindsight.${service}`).createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Requests, from the first byte in to the last byte out',
    advice: { explicitBucketBoundaries: BUCKETS },
  });
  app.addHook('onRequest', (request, reply, done) => {
    const begun = performance.now();
    // Always emitted, also where an answer was taken out of Fastify's hands or its client has left.
    reply.raw.once('close', () => {
      const route = request.routeOptions.url;
      duration.record((performance.now() - begun) / 1000, {
        'http.request.method': request.method,
        'http.response.status_code': reply.raw.writableFinished ? reply.raw.statusCode : CLIENT_LEFT,
        ...(route === undefined ? {} : { 'http.route': route }),
      });
    });
    done();
  });
  if (telemetry.tracing) traceRequests(app, service);
}

/** A server span for each request, continuing the caller's trace; the handler runs in its context. */
function traceRequests(app: HttpServer, service: string): void {
  const tracer = trace.getTracer(`hindsight.${service}`);
  const contexts = new WeakMap<FastifyRequest, Context>();
  app.addHook('onRequest', (request, reply, done) => {
    if (PROBES.has(request.routeOptions.url ?? '')) {
      done();
      return;
    }
    const caller = propagation.extract(ROOT_CONTEXT, request.headers);
    const span = tracer.startSpan(
      nameOf(request),
      { kind: SpanKind.SERVER, attributes: attributesOf(request) },
      caller,
    );
    const own = trace.setSpan(caller, span);
    contexts.set(request, own);
    const traceparent = currentTraceparent(own);
    if (traceparent !== undefined) reply.header('traceparent', traceparent);
    reply.raw.once('close', () => end(span, reply.raw.writableFinished ? reply.raw.statusCode : CLIENT_LEFT));
    done();
  });
  // Not in onRequest: reading a body takes the rest of the way out of its context again.
  app.addHook('preValidation', (request, _reply, done) => {
    context.with(contexts.get(request) ?? ROOT_CONTEXT, done);
  });
}

function nameOf({ method, routeOptions }: FastifyRequest): string {
  return routeOptions.url === undefined ? method : `${method} ${routeOptions.url}`;
}

function attributesOf(request: FastifyRequest): Record<string, string> {
  const { url } = request.routeOptions;
  return {
    'http.request.method': request.method,
    'url.path': request.url.split('?', 1)[0] ?? '/',
    'hindsight.request_id': request.id,
    ...(url === undefined ? {} : { 'http.route': url }),
  };
}

function end(span: Span, statusCode: number): void {
  span.setAttribute('http.response.status_code', statusCode);
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
