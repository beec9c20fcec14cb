import type { FastifyRequest } from 'fastify';

/** Returns the portal's origin as this request's browser knows it: `http://host:port`. */
export type OriginOf = (request: FastifyRequest) => string;

export function isHttps(portalUrl: string | undefined): boolean {
  return portalUrl?.startsWith('https:') ?? false;
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/**
 * True if the portal can only be reached from this machine: by the address it listens on and by its public
 * URL.
 */
export function isForThisMachine(portalUrl: string | undefined, host: string): boolean {
  return isLoopback(host) && (portalUrl === undefined || isLoopback(new URL(portalUrl).hostname));
}

/** True if a Host header names this machine. After DNS rebinding it names the attacker's site. */
export function isLoopbackHost(host: string | undefined): boolean {
  const url = `http://${host ?? ''}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}

/**
 * `PORTAL_URL` if it is set. Otherwise the portal serves this machine under whichever of its names the
 * request used, and no other: a foreign Host header is never trusted or put into an email.
 */
export function originResolver(portalUrl: string | undefined, host: string): OriginOf {
  if (portalUrl !== undefined) {
    const { origin } = new URL(portalUrl);
    return () => origin;
  }
  const main = /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return ({ socket, headers }) => {
    // Browsers leave the standard port out.
    const port = socket.localPort === 80 ? '' : `:${socket.localPort ?? ''}`;
    const known = [main, '127.0.0.1', 'localhost', '[::1]'].find((name) => name + port === headers.host);
    return `http://${known ?? main}${port}`;
  };
}
