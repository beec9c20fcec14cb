import { notFound } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { once } from '@hindsight/kernel/once.ts';
import type { LoadAsset } from '../asset-ports.ts';
import { operationMarkdown, referenceMarkdown } from '../domain/reference-markdown.ts';
import { onNetwork, operationsOf, type LoadReference } from '../domain/reference.ts';
import { chosenNetwork, type ShownNetworks } from '../domain/shown-networks.ts';
import { explorerPage } from '../pages/explorer.ts';
import { operationPage, referencePage } from '../pages/reference.ts';
import { sendAsset } from './assets.ts';
import type { Query } from './forms.ts';
import { frameFor, sendPage, showPage, type PageContext } from './pages.ts';
import { sandboxHeaders } from './security-headers.ts';

interface Deps {
  readonly apiOrigin: string;
  readonly demoKey: string;
  readonly networks: ShownNetworks;
  readonly loadReference: LoadReference;
  readonly openApi: LoadAsset;
  readonly openApiScript: LoadAsset;
  readonly scalar: LoadAsset;
}

const MARKDOWN = 'text/markdown; charset=utf-8';

/**
 * `GET /reference`, `/reference/:slug` and their `.md`: the API to read. `GET /reference/explorer`: to try with the demo
 * key, sandboxed. `GET /openapi.json`, the document.
 */
export function addReference(
  app: HttpServer,
  context: PageContext,
  { apiOrigin, demoKey, networks, loadReference, openApi, openApiScript, scalar }: Deps,
): void {
  app.get('/reference', async (_request, reply) => {
    await showPage(context, reply, referencePage, await loadReference());
  });
  const loadWhole = once(async () => referenceMarkdown(await loadReference()));
  app.get('/reference.md', async (_request, reply) => reply.type(MARKDOWN).send(await loadWhole()));
  app.get<Query & { Params: { slug: string } }>('/reference/:slug', async (request, reply) => {
    const { slug } = request.params;
    const operations = operationsOf(await loadReference());
    const at = operations.findIndex((each) => slug === each.slug || slug === `${each.slug}.md`);
    const found = operations[at];
    if (found === undefined) throw notFound('not_found', 'Endpoint not found.');
    const network = chosenNetwork(networks, request.query.network);
    const operation = onNetwork(found, network.name);
    if (slug !== operation.slug) return reply.type(MARKDOWN).send(operationMarkdown(operation));
    const next = operations[at + 1];
    await showPage(context, reply, operationPage, { operation, network, networks, next });
  });
  const headers = sandboxHeaders(apiOrigin);
  app.get('/reference/explorer', (request, reply) => {
    void reply.headers(headers);
    const frame = { ...frameFor(context, request, null), user: 'hidden' as const };
    return sendPage(reply, explorerPage(frame, demoKey));
  });
  app.get('/reference/scalar.js', (request, reply) => sendAsset(request, reply, scalar));
  app.get('/reference/openapi.js', (request, reply) => sendAsset(request, reply, openApiScript));
  // Third-party programs use it.
  app.get('/openapi.json', (request, reply) => sendAsset(request, reply, openApi));
}
