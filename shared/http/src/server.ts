/** The HTTP server that every service starts from: ids, error shape, health, limits, drain. */
import Fastify, { LogController, type FastifyReply, type FastifyRequest } from 'fastify';
import {
  createServer,
  ServerResponse,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { isStreamed } from '@hindsight/api/operations.ts';
import { randomIds, type Ids } from '@hindsight/kernel/ids.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { ReadinessCheck } from '@hindsight/kernel/readiness.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { limitBodies } from './body-deadline.ts';
import { createClientOf, dropForwardedPorts, trustOf, type ClientOf } from './client.ts';
import { answerClientError, refusalOf, refuse, refuseExpectation, sendError } from './error-shape.ts';
import { addHealthRoutes } from './health.ts';
import { refuseUnknownRoutes, type KnownRoute } from './methods.ts';
import { observeRequests, RequestObserver } from './observe-requests.ts';
import { plainUrl } from './plain-url.ts';
import { requestId } from './request-id.ts';
import { requestLogger } from './request-logger.ts';
import { callersTraceparent } from './traceparent.ts';
import type { HttpServer } from './types.ts';
import { ZOD_COMPILERS } from './zod-compilers.ts';

/** Request line and headers together may be this long (bytes). */
const MAX_HEADER_BYTES = 16 * 1024;
const BODY_BYTES = 64 * 1024;
const MAX_PARAM_LENGTH = 200;
/** A peer gets this long to deliver its whole request, so that slow ones do not hold connections (slow loris). */
const REQUEST_WITHIN_MS = 15_000;
const HEADERS_WITHIN_MS = 10_000;
/** Longer than the idle time of usual load balancers, so that they close idle connections first. */
const KEEP_ALIVE_MS = 75_000;
/** During the drain, a new connection has this long to send the first byte of a request. */
const SILENT_MS = 250;
/** During the drain, a request has this long to arrive; a streamed body has as long as its route gives it. */
const LATE_MS = 2_000;
/** A response is ended when its reader makes no progress for this long: it holds a connection and memory. */
const STALLED_MS = 30_000;
/** More than one process can serve well; beyond this, new connections are closed. */
const MAX_CONNECTIONS = 10_000;

/** Dependencies of a listener in front of Fastify. */
export interface ServerDeps extends Pick<Platform, 'ids' | 'lifecycle' | 'logger'> {
  readonly clientOf: ClientOf;
  readonly observer: RequestObserver | undefined;
  /** Largest request body in bytes. */
  readonly bodyLimit: number;
  readonly maxParamLength: number;
}

/** A listener in front of Fastify, for routes that bypass it. */
export interface Front {
  /** Other methods of these paths are a 405. */
  readonly routes: readonly KnownRoute[];
  /** Headers of every answer, by name; refusals of what reaches no route have them, too. */
  readonly headers: Readonly<Record<string, string>>;
  /** @param framework answers everything else */
  listener(framework: RequestListener, deps: ServerDeps): RequestListener;
}

interface ObservedServer {
  readonly service: string;
  readonly telemetry: Telemetry;
  /** Networks that metrics tell apart; none where there is one alone. */
  readonly networks?: readonly string[] | undefined;
}

interface HttpServerOptions extends Pick<Platform, 'lifecycle' | 'logger'> {
  /** Measures and traces the requests, under the service's name. */
  readonly observed?: ObservedServer | undefined;
  readonly ids?: Ids;
  /** Checks of `/readyz`. */
  readonly checks?: readonly ReadinessCheck[];
  /** Largest request body in bytes. */
  readonly bodyLimit?: number;
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy?: readonly string[];
  /** Answers some routes without Fastify. */
  readonly front?: Front;
  /** Milliseconds without progress after which a response is aborted. */
  readonly stalledMs?: number;
  /** Sends errors; by default as the product's error body. */
  readonly sendFault?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/**
 * Creates the server, not yet listening. Every error answer has the product's error body, every answer an
 * `x-request-id`.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { logger, lifecycle, observed, ids = randomIds, bodyLimit = BODY_BYTES, front } = options;
  const { stalledMs = STALLED_MS, trustProxy = [], checks = [], sendFault = sendError } = options;
  const headers = front?.headers ?? {};
  const observer = observed && new RequestObserver(observed.service, observed.telemetry, observed.networks);
  const trusts = trustOf(trustProxy);
  const clientOf = createClientOf(trusts);
  const deps = { ids, lifecycle, logger, clientOf, observer, bodyLimit, maxParamLength: MAX_PARAM_LENGTH };
  const app = Fastify({
    loggerInstance: logger,
    childLoggerFactory: (_logger, bindings) => requestLogger(logger, bindings),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestId(request.headers['x-request-id'], ids),
    bodyLimit,
    trustProxy: trusts ?? false,
    serverFactory: (framework) => {
      const answer = front?.listener(framework, deps) ?? framework;
      const idOf = ({ headers }: IncomingMessage): string => requestId(headers['x-request-id'], ids);
      const server = createNodeServer((request, response) => {
        const refusal = refusalOf(request);
        if (refusal !== undefined) return refuse(refusal, idOf(request), response, headers);
        request.url = plainUrl(request.url!);
        if (trusts !== undefined) dropForwardedPorts(request);
        answer(request, response);
      }, lifecycle);
      endStalledResponses(server, stalledMs);
      limitBodies(server, REQUEST_WITHIN_MS);
      server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
        refuseExpectation(idOf(request), response, headers),
      );
      return server;
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerClientError(ids.next(), error, socket, headers),
    frameworkErrors: (error, request, reply) => void sendFault(error, request, reply),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: MAX_PARAM_LENGTH },
    schemaController: ZOD_COMPILERS,
  }).withTypeProvider<ZodTypeProvider>();

  app.setErrorHandler(sendFault);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const traceparent = callersTraceparent(request.headers);
    if (traceparent !== undefined) reply.header('traceparent', traceparent);
    done();
  });
  if (observer) observeRequests(app, observer);
  refuseUnknownRoutes(app, front?.routes ?? []);
  addHealthRoutes(app, checks, lifecycle);
  return app;
}

/** True unless its request has arrived as a whole. */
function isArriving(socket: Socket): boolean {
  // Node keeps the response that a connection carries in this property; a map of our own costs 2 % of an answer.
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null };
  if (!response) return true;
  const request = response.req;
  return !request.complete && !isStreamed(request.method ?? '', request.url ?? '');
}

export function createNodeServer(listener: RequestListener, lifecycle: Lifecycle): Server {
  const server = createServer(
    {
      ServerResponse: responsesThatDrain(lifecycle),
      maxHeaderSize: MAX_HEADER_BYTES,
      // Refused by `refusalOf`.
      requireHostHeader: false,
      headersTimeout: HEADERS_WITHIN_MS,
      // By default Node looks for slow peers only every 30 s.
      connectionsCheckingInterval: 2_000,
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    listener,
  );
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/** Node restarts a socket's timer with each byte that is read or written. */
function endStalledResponses(server: Server, stalledMs: number): void {
  server.timeout = stalledMs;
  server.on('timeout', (socket: Socket) => {
    // Nothing is buffered while the service works on its answer. Idle connections have another timeout.
    const isWorking = socket.timeout === stalledMs && socket.writableLength === 0;
    if (!isWorking) socket.destroy();
  });
}

/**
 * Once the drain begins, each answer says `Connection: close`, including answers to earlier requests: clients
 * open their next connection elsewhere, and none is closed under a request on its way.
 */
function responsesThatDrain(lifecycle: Lifecycle): typeof ServerResponse {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    // All headers pass here, including those that `end` and `write` send.
    override writeHead(status: number, reason?: unknown, headers?: unknown): this {
      if (lifecycle.stopping) this.shouldKeepAlive = false;
      return super.writeHead(status, reason as string, headers as OutgoingHttpHeaders);
    }
  };
}

/** Listens, and registers the end of the drain: no new connections, running requests finish, idle connections are closed. */
export async function listen(
  app: Pick<HttpServer, 'server' | 'listen' | 'close'>,
  lifecycle: Lifecycle,
  name: string,
  address: { host: string; port: number },
): Promise<string> {
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const url = await app.listen({
    host: address.host,
    port: address.port,
    listenTextResolver: (at) => `${name} listens at ${at}`,
  });
  lifecycle.onStop(`${name} (HTTP)`, () => drain(app, open));
  return url;
}

/** Connections that are kept for later requests would keep the server from closing after its last answer. */
async function drain(app: Pick<HttpServer, 'server' | 'close'>, open: ReadonlySet<Socket>): Promise<void> {
  // Reads requests that have arrived before it looks at their connections.
  for (let turn = 0; turn < 2; turn++) await setImmediate();
  const closing = setInterval(() => app.server.closeIdleConnections(), 25);
  // Node counts a connection without a byte as busy, and browsers open such connections in advance. A closing server has no
  // timer for late heads any more.
  let waited = 0;
  const closeSilent = async (): Promise<void> => {
    waited += SILENT_MS;
    // Timers come first in a turn: what has arrived meanwhile is read before this goes on.
    await setImmediate();
    for (const socket of open)
      if (socket.bytesRead === 0 || (waited >= LATE_MS && isArriving(socket))) socket.destroy();
  };
  const closingSilent = setInterval(() => void closeSilent(), SILENT_MS);
  try {
    await app.close();
  } finally {
    clearInterval(closing);
    clearInterval(closingSilent);
  }
}
