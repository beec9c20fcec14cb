/** The data endpoints are usable from any web page; the key travels in a header, never in a cookie. */
import type { HttpServer } from '@hindsight/http/types.ts';
import { ALL_OPERATIONS, methodsOf, pathsOf } from '@hindsight/api/operations.ts';
import { ETHERSCAN_PATHS } from './etherscan.ts';
import { MCP_PATH } from './mcp.ts';

/** On every answer. */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'RateLimit, RateLimit-Policy, Retry-After, X-Units, X-Request-Id, ETag, Link, WWW-Authenticate, X-Holders-Facts',
};
const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-headers':
    'x-api-key, authorization, content-type, if-none-match, last-event-id, mcp-protocol-version, mcp-method, mcp-name, x-request-id, traceparent',
  'access-control-max-age': '86400',
};
/** The API, and the paths at which programs made for Etherscan and Snapshot find it. */
const API = /^\/(v1\/|(mcp|api|v2\/api)(?=[/?]|$))/;

/** Lets web pages of any origin use the API: headers on every answer of it, and answers to preflights. */
export function addCors(app: HttpServer): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (API.test(request.url)) reply.headers(CORS_HEADERS);
    done();
  });
  const methods = new Map<string, readonly string[]>([
    [MCP_PATH, ['POST']],
    ...ETHERSCAN_PATHS.map((path): [string, readonly string[]] => [path, ['GET', 'HEAD']]),
  ]);
  for (const operation of ALL_OPERATIONS) {
    for (const path of pathsOf(operation))
      methods.set(path, [...(methods.get(path) ?? []), ...methodsOf(operation)]);
  }
  for (const [path, known] of methods) {
    const methods = [...known, 'OPTIONS'].join(', ');
    const headers = { ...PREFLIGHT_HEADERS, 'access-control-allow-methods': methods, allow: methods };
    app.options(path, (_request, reply) => reply.code(204).headers(headers).send());
  }
}
