import type { IncomingMessage, Server } from 'node:http';

/** True for routes that stream the request's body and end a stalled one themselves. */
export type IsStreamed = (request: IncomingMessage) => boolean;

/**
 * Ends a request whose body is late, as Node's `requestTimeout` would. A streamed body may take longer, which
 * Node's limit for a whole server does not allow.
 */
export function limitBodies(server: Server, withinMs: number, isStreamed: IsStreamed): void {
  server.on('request', (request: IncomingMessage) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if ((length === undefined && coding === undefined) || length === '0' || isStreamed(request)) return;
    const timer = setTimeout(() => {
      const late = Object.assign(new Error('the body did not arrive in time'), {
        code: 'ERR_HTTP_REQUEST_TIMEOUT',
      });
      if (!request.complete) server.emit('clientError', late, request.socket);
    }, withinMs).unref();
    request.once('close', () => clearTimeout(timer));
  });
}
