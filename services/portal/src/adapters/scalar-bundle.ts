import Fastify from 'fastify';
import { encodeText } from '@hindsight/shared/http/content-coding.ts';
import { createHash } from 'node:crypto';
import type { Asset } from '../asset-ports.ts';

/**
 * Scalar's browser bundle (MIT), as its npm package brings it: inside of a plugin that would serve it with a page of its
 * own, whose inline scripts our policy forbids. It is large, so it is loaded when it is asked for first, and kept.
 */
export function createScalarBundle(): () => Promise<Asset> {
  let bundle: Promise<Asset> | undefined;
  return () => {
    bundle ??= load().catch((error: unknown) => {
      bundle = undefined;
      throw error;
    });
    return bundle;
  };
}

async function load(): Promise<Asset> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  try {
    await app.register(plugin, { routePrefix: '/reference', configuration: { url: '/openapi.json' } });
    const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js');
    if (statusCode !== 200) throw new Error(`Scalar's bundle was not found: ${statusCode}`);
    // The map that its last line names is not part of the package.
    const text = rawPayload.toString('utf8').replace(/\n\/\/# sourceMappingURL=\S*\s*$/, '\n');
    const [br, gzip] = await Promise.all([encodeText(text, 'br'), encodeText(text, 'gzip')]);
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
    return { type: 'text/javascript; charset=utf-8', etag, body: Buffer.from(text), coded: { br, gzip } };
  } finally {
    await app.close();
  }
}
