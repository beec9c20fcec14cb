import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { LoadAsset } from '../asset-ports.ts';
import { sendAsset } from './assets.ts';

/** `GET /openapi.json`: for people's programs, so any page may read it. */
export function addOpenApi(app: HttpServer, document: LoadAsset): void {
  app.get('/openapi.json', (request, reply) => {
    void reply.headers({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    return sendAsset(request, reply, document);
  });
}
