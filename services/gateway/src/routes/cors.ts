import type { HttpServer } from '@hindsight/http/types.ts';
import { CORS_HEADERS, preflightHeaders } from '../domain/cors.ts';
import { PUBLIC_ROUTES } from '../domain/route-table.ts';

const API = '/v1/';

/** Lets web pages of any origin use the API: headers on every answer of it, and answers to preflights. */
export function addCors(app: HttpServer): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith(API)) reply.headers(CORS_HEADERS);
    done();
  });
  const methods = new Map<string, string[]>([['/v1/usage', ['GET', 'HEAD']]]);
  for (const { path, method } of PUBLIC_ROUTES) {
    const known = methods.get(path) ?? [];
    methods.set(path, [...known, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
  }
  for (const [path, known] of methods) {
    const headers = preflightHeaders([...known, 'OPTIONS']);
    app.options(path, (_request, reply) => reply.code(204).headers(headers).send());
  }
}
