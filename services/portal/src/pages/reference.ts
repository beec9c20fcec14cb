import { anchorOf } from '../domain/anchor.ts';
import { operationMarkdown } from '../domain/reference-markdown.ts';
import type { Operation, Reference } from '../domain/reference.ts';
import type { ShownNetwork, ShownNetworks } from '../domain/shown-networks.ts';
import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { readDocument, sectionsOf } from './parts/markdown.ts';
import { networkChoice, networkQuery } from './parts/network-choice.ts';
import { searchForm } from './parts/search-form.ts';

/** GET /reference: every endpoint by its group, and rules common to all. */
export function referencePage(frame: Frame, { groups, introduction }: Reference): string {
  return layout(
    frame,
    {
      title: 'API reference',
      description: 'Every endpoint of the API, with examples in four languages, real answers and all errors.',
      modules: ['copy'],
      styles: ['guide'],
    },
    html`<h1>API reference</h1>
      ${searchForm('')}
      ${groups.map(
        ({ name, description, operations }) =>
          html`<section aria-labelledby="${anchorOf(name)}">
            <h2 id="${anchorOf(name)}">${name}</h2>
            <p>${description}.</p>
            <table class="endpoints">
              <thead>
                <tr>
                  <th scope="col">Endpoint</th>
                  <th scope="col">Request</th>
                  <th scope="col">Certainty</th>
                </tr>
              </thead>
              <tbody>
                ${operations.map(
                  ({ slug, title, method, path, certainty }) =>
                    html`<tr>
                      <td><a href="/reference/${slug}">${title}</a></td>
                      <td><code>${method} ${path}</code></td>
                      <td>${certainty ?? ''}</td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </section>`,
      )}
      ${sectionsOf(readDocument(introduction))}
      <p class="way">
        To try calls in the browser, open the <a href="/reference/explorer">explorer</a> (1.2 MB). For
        programs: <a href="/openapi.json">OpenAPI 3.1</a>, or
        <a href="/reference.md">this reference as Markdown</a>.
      </p>`,
  );
}

export interface OperationModel {
  readonly operation: Operation;
  /** The network of the examples' paths. */
  readonly network: ShownNetwork;
  readonly networks: ShownNetworks;
  readonly next: Operation | undefined;
}

export function operationPage(frame: Frame, model: OperationModel): string {
  const { operation, next } = model;
  const { slug, title, group, path } = operation;
  const kept = new URLSearchParams(networkQuery(model)).toString();
  const query = kept === '' ? '' : `?${kept}`;
  const document = readDocument(operationMarkdown(operation));
  return layout(
    frame,
    {
      title,
      description: `${title}: parameters, examples, answer and errors.`,
      modules: ['copy'],
      styles: ['guide'],
    },
    html`<p class="way"><a href="/reference">API reference</a> · ${group}</p>
      <h1>${title}</h1>
      ${path.startsWith('/v1/{network}/') && networkChoice(`/reference/${slug}`, model)} ${document.lead}
      ${sectionsOf(document)}
      <p class="way">
        ${next && html`Next: <a href="/reference/${next.slug}${query}">${next.title}</a> ·`}
        <a href="/reference/explorer">Try it in the explorer</a> ·
        <a href="/reference/${slug}.md${query}">This page as Markdown</a>
      </p>`,
  );
}
