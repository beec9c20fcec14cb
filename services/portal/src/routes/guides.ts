import { notFound } from '@hindsight/kernel/errors.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { Endpoint, Guide } from '../guide-ports.ts';
import { guidePage, guidesPage } from '../pages/guides.ts';
import { showPage, type PageContext } from './pages.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';

interface Contents {
  readonly guides: readonly Guide[];
  readonly endpoints: readonly Endpoint[];
  readonly apiUrl: string;
}

/** `GET /docs`, `/docs/:slug`, `/docs/:slug.md`, and `/llms.txt`, which names them all for programs. */
export function addGuides(app: HttpServer, context: PageContext, contents: Contents): void {
  const { guides } = contents;
  app.get('/docs', (request, reply) => showPage(context, { request, reply }, guidesPage, { guides }));

  app.get<{ Params: { slug: string } }>('/docs/:slug', async (request, reply) => {
    const { slug } = request.params;
    const at = guides.findIndex((guide) => slug === guide.slug || slug === `${guide.slug}.md`);
    const guide = guides[at];
    if (guide === undefined) throw notFound('Guide not found.');
    if (slug !== guide.slug) return reply.type(MARKDOWN).send(guide.markdown);
    await showPage(context, { request, reply }, guidePage, { guide, next: guides[at + 1] });
  });

  const list = llms(contents);
  app.get('/llms.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(list));
}

/** The site's contents for language models, by the convention of llmstxt.org. */
export function llms({ guides, endpoints, apiUrl }: Contents): string {
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
    '- [OpenAPI 3.1](/openapi.json): every endpoint, parameter, answer and error',
    `- ${apiUrl}/mcp: nine tools over MCP (Streamable HTTP), with the API key in the header x-api-key`,
    '',
    `## Endpoints of ${apiUrl}`,
    '',
    ...endpoints.map(({ name, summary }) => `- \`${name}\`: ${summary}`),
    '',
  ].join('\n');
}
