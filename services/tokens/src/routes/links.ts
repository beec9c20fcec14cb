/** Absolute links to other pages: they keep every filter, and carry parsed parameters only, so never a key. */
import type { FastifyRequest } from 'fastify';

/** A host name, an IPv4 address or an IPv6 address in brackets, with a port or without. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The protocol and host that the client used, as the gateway reports them if there is one. */
export function originOf({ headers, protocol, host }: FastifyRequest): { protocol: string; host: string } {
  return {
    protocol: single(headers['x-forwarded-proto']) ?? protocol,
    host: single(headers['x-forwarded-host']) ?? host,
  };
}

/** Makes the link to a page. @param filters the parameters besides page and limit, in their order */
export function pageLink(
  request: FastifyRequest,
  publicUrl: string | undefined,
  filters: Readonly<Record<string, string | number | undefined>>,
): string {
  const { protocol, host } = originOf(request);
  const base =
    publicUrl?.replace(/(?<!\/)\/+$/, '') ?? `${protocol === 'https' ? 'https' : 'http'}://${safeHost(host)}`;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined) query.set(name, String(value));
  return `${base}${request.url.split('?', 1)[0]}?${query.toString()}`;
}

/** The client chooses `Host`: an invalid one must not become part of a link. */
function safeHost(host: string): string {
  return HOST.test(host) ? host : 'localhost';
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
