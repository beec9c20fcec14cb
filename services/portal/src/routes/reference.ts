import type { HttpServer } from '@hindsight/http/types.ts';
import type { LoadAsset } from '../asset-ports.ts';
import { referencePage } from '../pages/reference.ts';
import { sendAsset } from './assets.ts';
import { frameFor, sendPage, type PageContext } from './pages.ts';
import { sandboxHeaders } from './security-headers.ts';

interface Deps {
  /** The gateway's origin. */
  readonly apiOrigin: string;
  readonly demoKey: string | null;
  readonly openApi: LoadAsset;
  /** The same document as a script: the reference may load nothing else from the portal. */
  readonly openApiScript: LoadAsset;
  /** Scalar, as one script. */
  readonly scalar: LoadAsset;
}

/**
 * `GET /reference`: the OpenAPI document to read and to try with the demo key, sandboxed; `GET /openapi.json`, the
 * document.
 */
export function addReference(
  app: HttpServer,
  context: Pick<PageContext, 'mailbox'>,
  { apiOrigin, demoKey, openApi, openApiScript, scalar }: Deps,
): void {
  const headers = sandboxHeaders(apiOrigin);
  app.get('/reference', (request, reply) => {
    void reply.headers(headers);
    const frame = { ...frameFor(context, request, null), user: 'hidden' as const };
    return sendPage({ request, reply }, referencePage(frame, { demoKey }));
  });
  app.get('/reference/scalar.js', (request, reply) => sendAsset(request, reply, scalar));
  app.get('/reference/openapi.js', (request, reply) => sendAsset(request, reply, openApiScript));
  // Third-party programs use it.
  app.get('/openapi.json', (request, reply) => sendAsset(request, reply, openApi));
}
