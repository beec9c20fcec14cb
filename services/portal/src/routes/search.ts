import type { HttpServer } from '@hindsight/http/types.ts';
import { once } from '@hindsight/kernel/once.ts';
import { operationMarkdown } from '../domain/reference-markdown.ts';
import { operationsOf, type LoadReference, type Reference } from '../domain/reference.ts';
import { entriesOf, search, type SearchEntry } from '../domain/search.ts';
import type { Guide } from '../domain/guide.ts';
import { searchPage } from '../pages/search.ts';
import { showPage, type PageContext } from './pages.ts';

const MAX_QUERY = 100;

/** `GET /docs/search?q=`: the guides and the reference, by their headings and words. The first search waits 0.1 s for them. */
export function addSearch(
  app: HttpServer,
  context: PageContext,
  guides: readonly Guide[],
  loadReference: LoadReference,
): void {
  const loadEntries = once(async () => searched(guides, await loadReference()));
  app.get<{ Querystring: { q?: unknown } }>('/docs/search', async (request, reply) => {
    const { q } = request.query;
    const query = typeof q === 'string' ? q.slice(0, MAX_QUERY) : '';
    const hits = search(await loadEntries(), query);
    await showPage(context, reply, searchPage, { query, hits });
  });
}

function searched(guides: readonly Guide[], reference: Reference): readonly SearchEntry[] {
  return [
    ...entriesOf(reference.introduction, 'API reference', '/reference'),
    ...operationsOf(reference).flatMap((each) =>
      entriesOf(operationMarkdown(each), each.title, `/reference/${each.slug}`),
    ),
    ...guides.flatMap(({ slug, title, markdown }) => entriesOf(markdown, title, `/docs/${slug}`)),
  ];
}
