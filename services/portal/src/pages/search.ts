import type { SearchHit } from '../domain/search.ts';
import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { searchForm } from './parts/search-form.ts';

export interface SearchModel {
  readonly query: string;
  readonly hits: readonly SearchHit[];
}

export function searchPage(frame: Frame, { query, hits }: SearchModel): string {
  const found = hits.length === 0 ? 'No results. Try fewer or different words.' : `Results: ${hits.length}`;
  return layout(
    frame,
    { title: query === '' ? 'Search' : `${query}: search`, styles: ['guide'] },
    html`<p class="way"><a href="/docs">Guides</a> · <a href="/reference">API reference</a></p>
      <h1>Search</h1>
      ${searchForm(query)} ${query !== '' && html`<p>${found}</p>`}
      <ol class="guides">
        ${hits.map(
          ({ page, title, href, excerpt }) =>
            html`<li>
              <a href="${href}">${title === page ? title : `${page}: ${title}`}</a>
              <p>${excerpt}</p>
            </li>`,
        )}
      </ol>`,
  );
}
