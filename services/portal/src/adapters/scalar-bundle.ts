import Fastify from 'fastify';
import type { LoadAsset } from '../asset-ports.ts';
import { makeAsset } from './make-asset.ts';
import { once } from './once.ts';

/**
 * Scalar's browser bundle (MIT), as its npm package brings it: inside of a plugin that would serve it with a page of its
 * own, whose inline scripts our policy forbids.
 */
export function createScalarBundle(): LoadAsset {
  return once(async () => {
    const { default: plugin } = await import('@scalar/fastify-api-reference');
    const app = Fastify();
    try {
      await app.register(plugin, { routePrefix: '/reference', configuration: { url: '/openapi.json' } });
      const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js');
      if (statusCode !== 200) throw new Error(`Scalar's bundle was not found: ${statusCode}`);
      // The map that its last line names is not part of the package.
      const text = rawPayload.toString('utf8').replace(/\n\/\/# sourceMappingURL=\S*\s*$/, '\n');
      // Some megabytes: to compress them as far as they go would keep whoever asks first waiting for seconds.
      return await makeAsset('text/javascript; charset=utf-8', Buffer.from(text), 'quick');
    } finally {
      await app.close();
    }
  });
}
