import type { HttpServer } from '@hindsight/http/types.ts';
import { operationMarkdown } from '../domain/reference-markdown.ts';
import type { Reference } from '../domain/reference.ts';
import { entriesOf, search } from '../domain/search.ts';
import type { Guide } from '../domain/guide.ts';
import { searchPage } from '../pages/search.ts';
import { showPage, type PageContext } from './pages.ts';

const MAX_QUERY = 100;

/** `GET /docs/search?q=`: the guides and the reference, by their headings and words. */
export function addSearch(
  app: HttpServer,
  context: PageContext,
  guides: readonly Guide[],
  { introduction, groups }: Reference,
): void {
  const operations = groups.flatMap((group) => group.operations);
  const entries = [
    ...entriesOf(introduction, 'API reference', '/reference'),
    ...operations.flatMap((each) =>
      entriesOf(operationMarkdown(each), each.title, `/reference/${each.slug}`),
    ),
    ...guides.flatMap(({ slug, title, markdown }) => entriesOf(markdown, title, `/docs/${slug}`)),
  ];
  app.get<{ Querystring: { q?: unknown } }>('/docs/search', (request, reply) => {
    const { q } = request.query;
    const query = typeof q === 'string' ? q.slice(0, MAX_QUERY) : '';
    return showPage(context, { request, reply }, searchPage, { query, hits: search(entries, query) });
  });
}
