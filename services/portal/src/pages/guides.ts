import type { Guide } from '../domain/guide.ts';
import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { searchForm } from './parts/search-form.ts';
import { readDocument, sectionsOf } from './parts/markdown.ts';

/** GET /docs: all guides. */
export function guidesPage(frame: Frame, { guides }: { readonly guides: readonly Guide[] }): string {
  return layout(
    frame,
    { title: 'Guides', description: 'How to do real jobs with Hindsight, step by step.', styles: ['guide'] },
    html`<h1>Guides</h1>
      <p class="lead">
        How to do real jobs, step by step. Every command runs as shown. For every endpoint in detail, see the
        <a href="/reference">API reference</a>.
      </p>
      ${searchForm('')}
      <ol class="guides">
        ${guides.map(
          ({ slug, title, summary }) =>
            html`<li>
              <a href="/docs/${slug}">${title}</a>
              <p>${summary}</p>
            </li>`,
        )}
      </ol>
      <p>For programs: <a href="/llms.txt">llms.txt</a> lists all of them as Markdown.</p>`,
  );
}

/** Data of GET /docs/:slug. */
export interface GuideModel {
  readonly guide: Guide;
  /** The one after it, if there is one. */
  readonly next: Guide | undefined;
}

/** One guide. */
export function guidePage(frame: Frame, { guide, next }: GuideModel): string {
  const document = readDocument(guide.markdown);
  return layout(
    frame,
    { title: guide.title, description: guide.summary, modules: ['copy'], styles: ['guide'] },
    html`<p class="way"><a href="/docs">Guides</a></p>
      <h1>${guide.title}</h1>
      ${document.lead} ${sectionsOf(document)}
      <p class="way">
        ${next && html`Next: <a href="/docs/${next.slug}">${next.title}</a> ·`}
        <a href="/docs/${guide.slug}.md">This page as Markdown</a>
      </p>`,
  );
}
