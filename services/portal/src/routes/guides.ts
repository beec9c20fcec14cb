import { notFound } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { operationsOf, type LoadReference, type Reference } from '../domain/reference.ts';
import type { Guide } from '../domain/guide.ts';
import type { OriginOf } from '../origin.ts';
import { guidePage, guidesPage } from '../pages/guides.ts';
import { showPage, type PageContext } from './pages.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';
/** The portal's address in the guides' examples; replaced with the one that the reader uses. */
const EXAMPLE_ORIGIN = 'http://127.0.0.1:8090';

interface Contents {
  readonly guides: readonly Guide[];
  readonly apiUrl: string;
}

/** `GET /docs`, `/docs/<slug>`, `/docs/<slug>.md`, and `/llms.txt`, which names them all for programs. */
export function addGuides(
  app: HttpServer,
  context: PageContext,
  contents: Contents & { readonly loadReference: LoadReference; readonly originOf: OriginOf },
): void {
  const { guides, originOf, loadReference } = contents;
  app.get('/docs', (_request, reply) => showPage(context, reply, guidesPage, { guides }));

  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const slug = request.params['*'];
    const at = guides.findIndex((guide) => slug === guide.slug || slug === `${guide.slug}.md`);
    const found = guides[at];
    if (found === undefined) throw notFound('not_found', 'Guide not found.');
    const guide = { ...found, markdown: found.markdown.replaceAll(EXAMPLE_ORIGIN, originOf(request)) };
    if (slug !== guide.slug) return reply.type(MARKDOWN).send(guide.markdown);
    await showPage(context, reply, guidePage, { guide, guides, next: guides[at + 1] });
  });

  app.get('/llms.txt', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(llms({ ...contents, reference: await loadReference() })),
  );
}

/** The site's contents for language models, by the convention of llmstxt.org. */
export function llms({ guides, reference, apiUrl }: Contents & { readonly reference: Reference }): string {
  return [
    '# Hindsight',
    '',
    "> Ethereum's past over HTTP: what a wallet held, what a spender could spend, which tokens exist, at any block or date. Exact amounts, each answer pinned to a block.",
    '',
    '## Guides',
    '',
    ...guides.map(({ slug, title, summary }) => `- [${title}](/docs/${slug}.md): ${summary}`),
    '',
    '## Reference',
    '',
    '- [All of it](/reference.md): every endpoint, with examples, answers and errors',
    '- [OpenAPI 3.1](/openapi.json): the same for programs',
    `- ${apiUrl}/mcp: seventeen tools over MCP (Streamable HTTP), with the API key in the header x-api-key`,
    '',
    `## Endpoints of ${apiUrl}`,
    '',
    ...operationsOf(reference).map(
      ({ slug, title, method, path }) => `- [${title}](/reference/${slug}.md): ${method} ${path}`,
    ),
    '',
  ].join('\n');
}
