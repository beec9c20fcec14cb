import { notFound } from '@hindsight/shared/errors.ts';
import { preferredCoding } from '@hindsight/shared/http/content-coding.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Asset, Assets } from '../asset-ports.ts';

/**
 * `GET /assets/*`: asked for anew each time, by their validators, so that no page meets the script of a former version.
 * Fonts never change under their names.
 */
export function addAssets(app: HttpServer, assets: Assets): void {
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const asset = assets.get(request.params['*']);
    if (asset === undefined) throw notFound('There is no such file.');
    return sendAsset(request, reply, asset);
  });
}

/** Sends a file in the coding that its reader likes best, or 304 where the reader has it. */
export function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const coding = preferredCoding(request.headers['accept-encoding']);
  const coded = coding && asset.coded[coding];
  const etag = coded ? `${asset.etag.slice(0, -1)}-${coding}"` : asset.etag;
  const forGood = asset.type === 'font/woff2';
  void reply.headers({
    etag,
    vary: 'accept-encoding',
    'cache-control': forGood ? 'public, max-age=31536000, immutable' : 'public, no-cache',
  });
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
  if (coded) void reply.header('content-encoding', coding);
  return reply.type(asset.type).send(coded ?? asset.body);
}
