import type { FastifyRequest } from 'fastify';
import type { RequestTarget } from '../domain/links.ts';

/** The client's target of a request, as the gateway forwards it if there is one. */
export function targetOf(request: FastifyRequest, publicUrl: string | undefined): RequestTarget {
  const { headers } = request;
  const path = request.url.split('?', 1)[0] ?? '/';
  const protocol = single(headers['x-forwarded-proto']) ?? request.protocol;
  return { publicUrl, protocol, host: single(headers['x-forwarded-host']) ?? request.host, path };
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
