import { isStreamed } from '@hindsight/api/operations.ts';
import type { IncomingMessage, Server } from 'node:http';

/**
 * Ends a request whose body is late, as Node's `requestTimeout` would. A streamed body may take longer, which
 * Node's limit for a whole server does not allow; its route ends a stalled one itself.
 */
export function limitBodies(server: Server, withinMs: number): void {
  server.on('request', (request: IncomingMessage) => {
    const { method = '', url = '' } = request;
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if ((length === undefined && coding === undefined) || length === '0' || isStreamed(method, url)) return;
    const timer = setTimeout(() => {
      const late = Object.assign(new Error('the body did not arrive in time'), {
        code: 'ERR_HTTP_REQUEST_TIMEOUT',
      });
      if (!request.complete) server.emit('clientError', late, request.socket);
    }, withinMs).unref();
    request.once('close', () => clearTimeout(timer));
  });
}
