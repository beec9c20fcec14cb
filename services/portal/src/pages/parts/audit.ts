import { html, type Html } from '../html.ts';
import { moment, withMoments } from './format.ts';

/** One entry of a project's audit log. */
export interface AuditLine {
  readonly at: Date;
  /** In words: "Key revealed", "Key rotated: old keys work until 2026-12-01T09:30:00.000Z". */
  readonly action: string;
  /** Who: "you", "the operator". */
  readonly by: string;
  /** The client's address; null where there was none. */
  readonly address: string | null;
}

/** Every reveal of the key and every change of the project. */
export function auditSection(lines: readonly AuditLine[]): Html {
  return html`<section aria-labelledby="audit-title" class="audit">
    <h2 id="audit-title">Audit log</h2>
    ${
      lines.length === 0
        ? html`<p class="empty">Nothing yet. Every time the API key is revealed is listed here.</p>`
        : html`<div class="scroll" tabindex="0" role="region" aria-label="Audit log of this project">
            <table>
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">Action</th>
                  <th scope="col">User</th>
                  <th scope="col">IP address</th>
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
