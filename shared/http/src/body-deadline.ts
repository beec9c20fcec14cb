import type { IncomingMessage, Server } from 'node:http';

/** Whether a route reads the body of this request as it comes, and itself ends one that makes no progress. */
export type IsStreamed = (request: IncomingMessage) => boolean;

/**
 * Ends a request whose body is not here in time, as Node's `requestTimeout` would; but a body that is read as a stream may
 * take as long as it is being read, which Node's limit for a whole server does not allow.
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
    }, withinMs);
    request.once('close', () => clearTimeout(timer));
  });
}
