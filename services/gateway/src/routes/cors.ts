import type { HttpServer } from '@hindsight/http/types.ts';
import { CORS_HEADERS, preflightHeaders } from '../domain/cors.ts';
import { ALL_OPERATIONS, methodsOf, pathsOf } from '@hindsight/api/operations.ts';
import { MCP_PATH } from './mcp.ts';

const API = /^\/(v1\/|mcp\b)/;

/** Lets web pages of any origin use the API: headers on every answer of it, and answers to preflights. */
export function addCors(app: HttpServer): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (API.test(request.url)) reply.headers(CORS_HEADERS);
    done();
  });
  const methods = new Map<string, readonly string[]>([[MCP_PATH, ['POST']]]);
  for (const operation of ALL_OPERATIONS) {
    for (const path of pathsOf(operation))
      methods.set(path, [...(methods.get(path) ?? []), ...methodsOf(operation)]);
  }
  for (const [path, known] of methods) {
    const headers = preflightHeaders([...known, 'OPTIONS']);
    app.options(path, (_request, reply) => reply.code(204).headers(headers).send());
  }
}
