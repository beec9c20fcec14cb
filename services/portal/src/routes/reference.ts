import type { HttpServer } from '@hindsight/shared/http/types.ts';
import type { LoadAsset } from '../asset-ports.ts';
import { referencePage } from '../pages/reference.ts';
import { sendAsset } from './assets.ts';
import { frameOf, sendPage, type PageContext } from './pages.ts';

interface Parts {
  readonly demoKey: string | null;
  /** Scalar, as one script. */
  readonly loadBundle: LoadAsset;
}

/** `GET /reference`: the OpenAPI document to read and to try, with the demo key filled in; `GET /reference/scalar.js`. */
export function addReference(app: HttpServer, context: PageContext, { demoKey, loadBundle }: Parts): void {
  app.get('/reference', async (request, reply) => {
    const frame = await frameOf(context, request);
    const policy = String(reply.getHeader('content-security-policy'));
    // Scalar writes its styles into the page; scripts stay as strict as everywhere.
    reply.header(
      'content-security-policy',
      policy.replace(`style-src 'self'`, `style-src 'self' 'unsafe-inline'`),
    );
    await sendPage(reply, referencePage({ frame, demoKey }));
  });
  app.get('/reference/scalar.js', (request, reply) => sendAsset(request, reply, loadBundle));
}
