/**
 * Routes that are answered with Node's own request and response: Fastify's life cycle costs more than a proxied answer
 * otherwise does. What every answer of a server owes its caller (request id, trace, error shape, drain, measuring) holds
 * for them as well; everything else of the server is Fastify's.
 */
import { context } from '@opentelemetry/api';
import createRouter, { type HTTPMethod } from 'find-my-way';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Ids } from '../ids.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { currentTraceparent } from '../trace-context.ts';
import type { ClientOf } from './client.ts';
import { answerTo } from './error-shape.ts';
import type { RequestObserver } from './observe-requests.ts';
import { requestId } from './request-id.ts';
import { requestLogger } from './request-logger.ts';
import { callersTraceparent } from './traceparent.ts';

/** One request of a direct route. */
export interface DirectExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly client: ReturnType<ClientOf>;
  /** What the answer carries in any case, names (lower-cased) and values in turn; to be added to. */
  readonly headers: string[];
  /** Largest body in bytes. */
  readonly bodyLimit: number;
}

/** A route. */
export interface DirectRoute {
  readonly methods: readonly HTTPMethod[];
  /** As Fastify has it: `/v1/:network/token`. */
  readonly path: string;
  /** Of every answer, names (lower-cased) and values in turn. */
  readonly headers: readonly string[];
  /** Sends the answer; what it throws becomes one, as long as nothing has been sent. */
  handle(exchange: DirectExchange): Promise<void>;
}

interface Parts {
  readonly ids: Ids;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly clientOf: ClientOf;
  readonly observer: RequestObserver | undefined;
  readonly bodyLimit: number;
  readonly maxParamLength: number;
}

/** Gives a server's listener: direct routes are answered, everything else goes to Fastify. */
export function answerDirectly(
  routes: readonly DirectRoute[],
  parts: Parts,
  framework: RequestListener,
): RequestListener {
  const { maxParamLength } = parts;
  const router = createRouter({ maxParamLength, querystringParser: () => ({}) });
  for (const route of routes) router.on([...route.methods], route.path, () => undefined, route);
  return (request, response) => {
    const found = router.find(request.method as HTTPMethod, request.url ?? '/');
    if (found === null) framework(request, response);
    else void answer(found.store as DirectRoute, parts, request, response);
  };
}

async function answer(
  route: DirectRoute,
  parts: Parts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { ids, lifecycle, observer, clientOf, bodyLimit } = parts;
  const { headers: sent, method = '', url = '' } = request;
  const id = requestId(sent['x-request-id'], ids);
  const traced = observer?.begin({ method, url, headers: sent, id, route: route.path }, response);
  const traceparent = traced === undefined ? callersTraceparent(sent) : currentTraceparent(traced);
  const headers = ['x-request-id', id, ...route.headers];
  if (traceparent !== undefined) headers.push('traceparent', traceparent);
  if (lifecycle.stopping) headers.push('connection', 'close');
  const exchange = { request, response, id, client: clientOf(request), headers, bodyLimit };
  try {
    if (traced === undefined) await route.handle(exchange);
    else await context.with(traced, () => route.handle(exchange));
  } catch (error) {
    refuse(error, exchange, parts.logger);
  }
}

function refuse(error: unknown, exchange: DirectExchange, logger: Logger): void {
  const { response, request, id, headers: own, bodyLimit } = exchange;
  const { method, url } = request;
  const log = requestLogger(logger, { reqId: id, req: { method, url } });
  const { statusCode, headers, body } = answerTo(error, bodyLimit, log);
  // Half an answer cannot be taken back; and somebody who did not send a whole request has had his answer.
  if (response.headersSent || !request.socket.writable) {
    response.destroy();
    return;
  }
  response.writeHead(statusCode, [
    ...own,
    ...Object.entries(headers).flat(),
    ...['content-length', String(Buffer.byteLength(body))],
  ]);
  response.end(body);
}
