/** Measures every request and, if traces are exported, traces it. Neither contains a query string or a header. */
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Histogram,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { currentTraceparent } from '@hindsight/kernel/telemetry/trace-context.ts';
import type { HttpServer } from './types.ts';

/** Seconds. In addition to OpenTelemetry's own: 1 and 2.5 ms for cached answers, 200 ms for the webhook's budget. */
const BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.2, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** Health monitors poll these every few seconds; a trace of them is worth nothing. */
const HEALTH_PATHS = new Set(['/livez', '/readyz']);

/** The prefix of routes about one network. */
const OF_A_NETWORK = '/v1/:network/';

/** Status of a request whose client disconnected before its answer was complete (as in nginx). */
const CLIENT_LEFT = 499;

/** The recorded facts of a request. */
interface Observed {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly id: string;
  /** As registered; undefined if no route matched. */
  readonly route: string | undefined;
}

export class RequestObserver {
  readonly #duration: Histogram;
  readonly #tracer: Tracer | undefined;
  readonly #ended: [seconds: number, attributes: Attributes][] = [];
  /** Requests under way, by method. */
  readonly #active = new Map<string, number>();

  /** The networks whose requests are told apart. */
  readonly #networks: ReadonlySet<string>;

  /** @param networks names that are told apart in paths of networks; a path may hold any text in their place */
  constructor(service: string, telemetry: Telemetry, networks: readonly string[] = []) {
    this.#networks = new Set(networks);
    const name = `hindsight.${service}`;
    const meter = telemetry.meter(name);
    this.#duration = meter.createHistogram('http.server.request.duration', {
      unit: 's',
      description: 'Requests, from the first byte in to the last byte out',
      advice: { explicitBucketBoundaries: BUCKETS },
    });
    const active = meter.createObservableUpDownCounter('http.server.active_requests', {
      unit: '{request}',
      description: 'Requests under way, streams included',
    });
    active.addCallback((result) => {
      for (const [method, count] of this.#active)
        result.observe(count, { 'http.request.method': method, 'url.scheme': 'http' });
    });
    this.#tracer = telemetry.tracing ? trace.getTracer(name) : undefined;
  }

  /**
   * Call it when a request begins; it observes the end.
   * @returns the context to answer the request in, with a server span that continues the caller's trace; the
   * caller's context where nothing is traced
   */
  begin(request: Observed, response: ServerResponse): Context | undefined {
    const begun = performance.now();
    this.#count(request.method, 1);
    const traced = this.#tracer && startSpan(this.#tracer, request);
    // An answer within the process has no socket, so it is never "writableFinished".
    let isFinished = false;
    response.on('finish', () => void (isFinished = true));
    // Always emitted, even if the answer bypasses Fastify or the client has disconnected.
    response.on('close', () => {
      this.#count(request.method, -1);
      const status = isFinished ? response.statusCode : CLIENT_LEFT;
      const attributes = attributesOf(request, status);
      const network = this.#networkOf(request);
      if (network !== undefined) attributes['hindsight.network'] = network;
      this.#ended.push([(performance.now() - begun) / 1000, attributes]);
      if (this.#ended.length === 1) void this.#recordEnded();
      if (traced) end(traced.span, status);
    });
    return traced?.own;
  }

  #networkOf({ route, url }: Observed): string | undefined {
    if (this.#networks.size === 0 || !route?.startsWith(OF_A_NETWORK)) return undefined;
    const name = url.split(/[/?]/, 3)[2] ?? '';
    return this.#networks.has(name) ? name : undefined;
  }

  #count(method: string, change: 1 | -1): void {
    this.#active.set(method, (this.#active.get(method) ?? 0) + change);
  }

  /**
   * Not in the listener itself: recording there kept whole requests alive past garbage collection, a fifth of
   * a busy process's time.
   */
  async #recordEnded(): Promise<void> {
    await Promise.resolve();
    for (const [seconds, attributes] of this.#ended.splice(0)) this.#duration.record(seconds, attributes);
  }
}

/** Observes everything that Fastify answers. Must be called before any route is added. */
export function observeRequests(app: HttpServer, observer: RequestObserver): void {
  const contexts = new WeakMap<FastifyRequest, Context>();
  app.addHook('onRequest', (request, reply, done) => {
    const { method, url, headers, id, routeOptions } = request;
    const own = observer.begin({ method, url, headers, id, route: routeOptions.url }, reply.raw);
    const traceparent = own && currentTraceparent(own);
    if (traceparent !== undefined) reply.header('traceparent', traceparent);
    if (own) contexts.set(request, own);
    done();
  });
  // Not in onRequest: reading a body would leave the context again.
  app.addHook('preValidation', (request, _reply, done) => {
    const own = contexts.get(request);
    if (own === undefined) done();
    else context.with(own, done);
  });
}

function startSpan(tracer: Tracer, request: Observed): { span: Span; own: Context } | undefined {
  const { method, url, headers, id, route } = request;
  if (HEALTH_PATHS.has(route ?? '')) return undefined;
  const caller = propagation.extract(ROOT_CONTEXT, headers);
  const attributes = {
    'http.request.method': method,
    'url.path': url.split('?', 1)[0] ?? '/',
    'hindsight.request_id': id,
    ...(route === undefined ? {} : { 'http.route': route }),
  };
  const name = route === undefined ? method : `${method} ${route}`;
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller);
  return { span, own: trace.setSpan(caller, span) };
}

function attributesOf({ method, route }: Observed, status: number): Attributes {
  const attributes: Attributes = { 'http.request.method': method, 'http.response.status_code': status };
  if (route !== undefined) attributes['http.route'] = route;
  return attributes;
}

function end(span: Span, statusCode: number): void {
  span.setAttribute('http.response.status_code', statusCode);
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
