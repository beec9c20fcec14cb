/** The HTTP server that every service starts from: ids, error shape, health, limits, drain. */
import Fastify, { LogController } from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { randomIds, type Ids } from '../ids.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Telemetry } from '../telemetry.ts';
import { answerClientError, sendError } from './error-shape.ts';
import { addHealthRoutes, type ReadinessCheck } from './health.ts';
import { refuseUnknownRoutes } from './methods.ts';
import { observeRequests } from './observe-requests.ts';
import { requestId } from './request-id.ts';
import { requestLogger } from './request-logger.ts';
import type { HttpServer } from './types.ts';
import { validateWithZod } from './validation.ts';

/** Request line and headers together may be this long (bytes). */
const MAX_HEADER_BYTES = 16 * 1024;

/** W3C Trace Context, version 00 and whatever is compatible with it. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

interface HttpServerOptions {
  readonly logger: Logger;
  /** Measures and traces the requests, under the service's name. */
  readonly observed?: { readonly service: string; readonly telemetry: Telemetry } | undefined;
  readonly ids?: Ids;
  /** What `/readyz` reports on. */
  readonly checks?: readonly ReadinessCheck[];
  readonly lifecycle: Lifecycle;
  /** Largest request body in bytes. */
  readonly bodyLimit?: number;
  /** Addresses whose `X-Forwarded-For` is believed. */
  readonly trustProxy?: readonly string[];
}

/**
 * Creates the server, not yet listening. Every error that leaves it has the body `{message, error, statusCode}`,
 * every answer an `x-request-id`.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const ids = options.ids ?? randomIds;
  const app = Fastify({
    loggerInstance: options.logger,
    childLoggerFactory: (_logger, bindings) => requestLogger(options.logger, bindings),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id'], ids),
    bodyLimit: options.bodyLimit ?? 64 * 1024,
    trustProxy:
      options.trustProxy === undefined || options.trustProxy.length === 0 ? false : [...options.trustProxy],
    // A peer gets this long to deliver its whole request, so that slow ones do not hold connections (slow loris).
    requestTimeout: 15_000,
    // Longer than the idle time of usual load balancers, so that they end idle connections and not we.
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: 10_000 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(validateWithZod);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendError);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const { traceparent } = request.headers;
    if (typeof traceparent === 'string' && TRACEPARENT.test(traceparent))
      reply.header('traceparent', traceparent);
    if (options.lifecycle.stopping) reply.header('connection', 'close');
    done();
  });
  if (options.observed) observeRequests(app, options.observed.service, options.observed.telemetry);
  refuseUnknownRoutes(app);
  addHealthRoutes(app, options.checks ?? [], options.lifecycle);
  return app;
}

/** Listens, and registers the drain: no new connections, what runs is finished, idle connections are closed. */
export async function listen(
  app: HttpServer,
  lifecycle: Lifecycle,
  name: string,
  address: { host: string; port: number },
): Promise<string> {
  const url = await app.listen({
    host: address.host,
    port: address.port,
    listenTextResolver: (at) => `${name} listens at ${at}`,
  });
  lifecycle.onStop(`${name} (HTTP)`, () => drain(app));
  return url;
}

/** A kept-alive connection whose last request has been answered would keep the server from closing. */
async function drain(app: HttpServer): Promise<void> {
  const closing = setInterval(() => app.server.closeIdleConnections(), 25);
  try {
    await app.close();
  } finally {
    clearInterval(closing);
  }
}
