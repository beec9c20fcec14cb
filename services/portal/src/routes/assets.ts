import { fastifyStatic } from '@fastify/static';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { resolve } from 'node:path';

const PUBLIC = resolve(import.meta.dirname, '../../public');

/** Serves public/ at /assets: with an ETag, asked for anew each time, so that no page meets the script of a former version. */
export async function addAssets(app: HttpServer): Promise<void> {
  await app.register(fastifyStatic, {
    root: PUBLIC,
    prefix: '/assets/',
    index: false,
    dotfiles: 'deny',
    decorateReply: false,
    wildcard: true,
    cacheControl: false,
    setHeaders: (reply) => void reply.header('cache-control', 'public, no-cache'),
  });
}
