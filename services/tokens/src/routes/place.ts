import type { FastifyRequest } from 'fastify';
import type { RequestPlace } from '../domain/links.ts';

/** Where the client sent a request, by the gateway's word where there is one. */
export function placeOf(request: FastifyRequest, publicUrl: string | undefined): RequestPlace {
  const { headers } = request;
  const path = request.url.split('?', 1)[0] ?? '/';
  const protocol = single(headers['x-forwarded-proto']) ?? request.protocol;
  return { publicUrl, protocol, host: single(headers['x-forwarded-host']) ?? request.host, path };
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
