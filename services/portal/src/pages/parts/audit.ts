import type { AuditEntry } from '@hindsight/projects/audit.ts';
import { html, type Html } from '../html.ts';
import { moment, withMoments } from './format.ts';

export const AUDIT_WORDS: Readonly<Record<string, string>> = {
  created: 'Project created',
  'key-shown': 'Key revealed',
  'key-created': 'Key created',
  'key-changed': 'Key changed',
  'key-rotated': 'Key rotated',
  'key-revoked': 'Key revoked',
  renamed: 'Project renamed',
  'plan-changed': 'Plan changed',
  suspended: 'Project suspended',
  resumed: 'Project resumed',
  deleted: 'Project deleted',
  'alerts-changed': 'Alerts changed',
};

/** Entries of a project's audit log, as a list that reads on a phone as well. @param reader the id of who reads it */
export function activity(entries: readonly AuditEntry[], reader: string): Html {
  return html`<ul class="lines activity">
    ${entries.map(({ at, action, detail, userId, address }) => {
      const words = AUDIT_WORDS[action] ?? action;
      const by = userId === null ? 'the operator' : userId === reader ? 'you' : 'another user';
      return html`<li>
        <span>${withMoments(detail === null ? words : `${words}: ${detail}`)}</span>
        <span class="meta"
          >${by}${address && html`, <span class="figure">${address}</span>`}, ${moment(at)}</span
        >
      </li>`;
    })}
  </ul>`;
}
