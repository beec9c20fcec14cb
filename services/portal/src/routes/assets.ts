import { notFound } from '@hindsight/kernel/errors.ts';
import { codedTag, isKnown } from '@hindsight/http/cacheable.ts';
import { preferredCoding } from '@hindsight/http/content-coding.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FONT, type Assets, type LoadAsset } from '../asset-ports.ts';
import { PUBLIC_FILE_HEADERS } from './security-headers.ts';

/**
 * `GET /assets/*`: revalidated each time, so that no page runs the script of an earlier version.
 * Fonts never change under their names.
 */
export function addAssets(app: HttpServer, assets: Assets): void {
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const load = assets.get(request.params['*']);
    if (load === undefined) throw notFound('not_found', 'File not found.');
    return sendAsset(request, reply, load);
  });
}

/** Sends a public file in the client's preferred coding, or 304 if the client has it. */
export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  load: LoadAsset,
): Promise<FastifyReply> {
  const { type, etag, body, coded } = await load();
  const coding = preferredCoding(request.headers['accept-encoding']);
  const small = coding && coded[coding];
  void reply.headers({
    ...PUBLIC_FILE_HEADERS,
    etag: small ? codedTag(etag, coding) : etag,
    vary: 'accept-encoding',
    'cache-control': type === FONT ? 'public, max-age=31536000, immutable' : 'public, no-cache',
  });
  if (isKnown(request, etag)) return reply.code(304).send();
  if (small) void reply.header('content-encoding', coding);
  return reply.type(type).send(small ?? body);
}
