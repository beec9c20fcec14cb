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

/** The newest entries, as a list that reads on a phone as well. */
export function activity(lines: readonly AuditLine[]): Html {
  return html`<ul class="lines activity">
    ${lines.map(
      ({ at, action, by, address }) =>
        html`<li>
          <span>${withMoments(action)}</span>
          <span class="meta"
            >${by}${address && html`, <span class="figure">${address}</span>`}, ${moment(at)}</span
          >
        </li>`,
    )}
  </ul>`;
}
