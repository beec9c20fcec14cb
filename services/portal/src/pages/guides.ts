import { anchorOf } from '../domain/anchor.ts';
import type { Guide } from '../domain/guide.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
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
      ${grouped(guides).map(
        ([group, members]) =>
          html`<section aria-labelledby="${anchorOf(group)}">
            <h2 id="${anchorOf(group)}">${group}</h2>
            <ul class="guides">
              ${members.map(
                ({ slug, title, summary }) =>
                  html`<li>
                    <a href="/docs/${slug}">${title}</a>
                    ${summary !== '' && html`<p>${summary}</p>`}
                  </li>`,
              )}
            </ul>
          </section>`,
      )}
      <p>
        For programs: <a href="/llms.txt">llms.txt</a> lists them all as Markdown;
        <a href="/asyncapi.yaml">AsyncAPI 3</a> describes the events.
      </p>`,
  );
}

export interface GuideModel {
  readonly guide: Guide;
  readonly guides: readonly Guide[];
  readonly next: Guide | undefined;
}

export function guidePage(frame: Frame, { guide, guides, next }: GuideModel): string {
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
      </p>
      ${sideNavigation(guides, guide)}`,
  );
}

/** The way to every guide: beside the text where there is room, else below it. */
function sideNavigation(guides: readonly Guide[], current: Guide): Html {
  return html`<nav class="aside" aria-label="Guides">
    ${grouped(guides).map(
      ([group, members]) =>
        html`<p>${group}</p>
          <ul>
            ${members.map(
              ({ slug, title }) =>
                html`<li>
                  <a href="/docs/${slug}" ${slug === current.slug && html`aria-current="page"`}>${title}</a>
                </li>`,
            )}
          </ul>`,
    )}
  </nav>`;
}

function grouped(guides: readonly Guide[]): readonly (readonly [string, readonly Guide[]])[] {
  return [...Map.groupBy(guides, ({ group }) => group)];
}
