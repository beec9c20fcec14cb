import { html, type Html } from '../html.ts';

/** Titles, each with what is said of it. @param className of the list */
export function facts(entries: Readonly<Record<string, Html | string>>, className = 'facts'): Html {
  return html`<dl class="${className}">
    ${Object.entries(entries).map(
      ([title, value]) =>
        html`<div>
          <dt>${title}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}
