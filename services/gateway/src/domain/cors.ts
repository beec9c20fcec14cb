/** The data endpoints are usable from any web page; the key travels in a header, never in a cookie. */

const RATE_HEADERS = 'RateLimit, RateLimit-Policy, Retry-After, X-Units';

/** On every answer. */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': `${RATE_HEADERS}, X-Request-Id, ETag, Link, WWW-Authenticate, X-Holders-Facts`,
};

/** On the answer to a preflight. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers':
      'x-api-key, authorization, content-type, if-none-match, last-event-id, mcp-protocol-version, mcp-method, mcp-name, x-request-id, traceparent',
    'access-control-max-age': '86400',
    allow: methods.join(', '),
  };
}
