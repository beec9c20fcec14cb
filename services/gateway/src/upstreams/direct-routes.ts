/**
 * Routes that are answered with Node's own request and response: Fastify's lifecycle costs more than the rest of a
 * proxied answer. These routes keep every promise of our servers' answers: request id, trace, error shape, drain and
 * measuring. Fastify answers everything else.
 */
import type { Client } from '@hindsight/http/client.ts';
import { answerTo } from '@hindsight/http/error-shape.ts';
import { requestId } from '@hindsight/http/request-id.ts';
import { requestLogger } from '@hindsight/http/request-logger.ts';
import type { KnownRoute } from '@hindsight/http/methods.ts';
import type { Front, ServerDeps } from '@hindsight/http/server.ts';
import { callersTraceparent } from '@hindsight/http/traceparent.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { currentTraceparent } from '@hindsight/kernel/telemetry/trace-context.ts';
import { context } from '@opentelemetry/api';
import createRouter, { type HTTPMethod } from 'find-my-way';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface DirectExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly client: Client;
  /** Headers of any answer, names (lower-cased) and values in turn; handlers may add to it. */
  readonly headers: string[];
  /** Largest body in bytes. */
  readonly bodyLimit: number;
}

export interface DirectRoute extends KnownRoute {
  /** Sends the answer; what it throws becomes one, as long as nothing has been sent. */
  handle(exchange: DirectExchange): Promise<void>;
}

/**
 * Puts the routes in front of a server's framework.
 * @param headers of every answer, by their names (lower-cased)
 */
export function directRoutes(
  routes: readonly DirectRoute[],
  headers: Readonly<Record<string, string>>,
): Front {
  return {
    routes,
    headers,
    listener(framework, deps) {
      const own = { ...deps, headers: Object.entries(headers).flat() };
      const { maxParamLength } = deps;
      const router = createRouter({ maxParamLength, querystringParser: () => ({}) });
      for (const route of routes) router.on([...route.methods], route.path, () => undefined, route);
      return (request, response) => {
        const found = router.find(request.method as HTTPMethod, request.url ?? '/');
        if (found === null) framework(request, response);
        else void answer(found.store as DirectRoute, own, request, response);
      };
    },
  };
}

async function answer(
  route: DirectRoute,
  deps: ServerDeps & { readonly headers: readonly string[] },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { ids, observer, clientOf, bodyLimit } = deps;
  const { headers: sent, method = '', url = '' } = request;
  const id = requestId(sent['x-request-id'], ids);
  const traced = observer?.begin({ method, url, headers: sent, id, route: route.path }, response);
  const traceparent = traced === undefined ? callersTraceparent(sent) : currentTraceparent(traced);
  const headers = ['x-request-id', id, ...deps.headers];
  if (traceparent !== undefined) headers.push('traceparent', traceparent);
  const exchange = { request, response, id, client: clientOf(request), headers, bodyLimit };
  try {
    if (traced === undefined) await route.handle(exchange);
    else await context.with(traced, () => route.handle(exchange));
  } catch (error) {
    refuse(error, exchange, deps.logger);
  }
}

function refuse(error: unknown, exchange: DirectExchange, logger: Logger): void {
  const { response, request, id, bodyLimit } = exchange;
  const { method, url } = request;
  const log = requestLogger(logger, { reqId: id, req: { method, url } });
  const { statusCode, headers, body } = answerTo(error, { id, bodyLimit, log });
  // A half-sent answer cannot be taken back, and the sender of an incomplete request already has its answer.
  if (response.headersSent || !request.socket.writable) {
    response.destroy();
    return;
  }
  sendWhole(exchange, statusCode, Object.entries(headers).flat(), body);
}

/** Sends an answer that is whole. @param headers besides those of any answer, names and values in turn */
export function sendWhole(
  { response, headers: own }: DirectExchange,
  statusCode: number,
  headers: readonly string[],
  body: string | Buffer,
): void {
  response.writeHead(statusCode, [...own, ...headers, 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
}
