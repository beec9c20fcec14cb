import type { FastifyRequest } from 'fastify';

/** Tells the portal's own address as this request's browser knows it: `http://host:port`. */
export type OriginOf = (request: FastifyRequest) => string;

/** Whether browsers reach the portal over https. */
export function isHttps(portalUrl: string | undefined): boolean {
  return portalUrl?.startsWith('https:') ?? false;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Whether only people of this machine reach the portal: it listens to nobody else, and nothing leads others to it. */
export function isForThisMachine(portalUrl: string | undefined, host: string): boolean {
  return LOOPBACK.test(host) && (portalUrl === undefined || LOOPBACK.test(new URL(portalUrl).hostname));
}

/**
 * With `PORTAL_URL` it is always that. Without, the portal listens for people of the same machine: by whichever of its
 * names they came, but by no other, so that a foreign Host header is never put into a mail or believed.
 */
export function tellOrigin(portalUrl: string | undefined, host: string): OriginOf {
  if (portalUrl !== undefined) {
    const { origin } = new URL(portalUrl);
    return () => origin;
  }
  const main = /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return ({ socket, headers }) => {
    const names = [main, '127.0.0.1', 'localhost', '[::1]'].map(
      (name) => `${name}:${socket.localPort ?? ''}`,
    );
    const known = names.find((name) => name === headers.host);
    return `http://${known ?? names[0] ?? ''}`;
  };
}
