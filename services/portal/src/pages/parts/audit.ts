import { html, type Html } from '../html.ts';
import { moment, withMoments } from './format.ts';

/** What somebody did with a project. */
export interface AuditLine {
  readonly at: Date;
  /** In words: "Project ID shown", "Project ID rotated: old keys work until 2026-12-01T09:30:00.000Z". */
  readonly action: string;
  /** Who: "you", "the operator". */
  readonly by: string;
  /** The client's address; null where there was none. */
  readonly address: string | null;
}

/** Every look at a key, and everything else that happened to a project. */
export function auditSection(lines: readonly AuditLine[]): Html {
  return html`<section aria-labelledby="audit-title" class="audit">
    <h2 id="audit-title">What happened here</h2>
    ${
      lines.length === 0
        ? html`<p class="empty">Nothing yet. Every look at the Project ID will be listed here.</p>`
        : html`<div class="scroll" tabindex="0" role="region" aria-label="What happened to this project">
            <table>
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">What</th>
                  <th scope="col">Who</th>
                  <th scope="col">From</th>
                </tr>
              </thead>
              <tbody>
                ${lines.map(
                  ({ at, action, by, address }) =>
                    html`<tr>
                      <td>${moment(at)}</td>
                      <td>${withMoments(action)}</td>
                      <td>${by}</td>
                      <td class="figure">${address ?? '–'}</td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
  </section>`;
}
