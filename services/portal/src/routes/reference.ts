import type { HttpServer } from '@hindsight/http/types.ts';
import type { LoadAsset } from '../asset-ports.ts';
import { referencePage } from '../pages/reference.ts';
import { sendAsset } from './assets.ts';
import { showPage, type PageContext } from './pages.ts';

interface Deps {
  readonly demoKey: string | null;
  readonly openApi: LoadAsset;
  /** Scalar, as one script. */
  readonly scalar: LoadAsset;
}

/** `GET /reference`: the OpenAPI document to read and to try with the demo key; `GET /openapi.json`, the document. */
export function addReference(
  app: HttpServer,
  context: PageContext,
  { demoKey, openApi, scalar }: Deps,
): void {
  app.get('/reference', async (request, reply) => {
    const policy = String(reply.getHeader('content-security-policy'));
    // Scalar writes inline styles; the policy for scripts stays as strict as everywhere.
    reply.header(
      'content-security-policy',
      policy.replace(`style-src 'self'`, `style-src 'self' 'unsafe-inline'`),
    );
    await showPage(context, { request, reply }, referencePage, { demoKey });
  });
  app.get('/reference/scalar.js', (request, reply) => sendAsset(request, reply, scalar));
  app.get('/openapi.json', (request, reply) => {
    // Third-party programs use it: any origin may read it.
    void reply.headers({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    return sendAsset(request, reply, openApi);
  });
}
