import type { AuditEntry } from '@hindsight/projects/audit.ts';
import type { Project } from '@hindsight/projects/project.ts';
import { projectPath } from '../domain/project-path.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { activity, AUDIT_WORDS } from './parts/audit.ts';
import { choice, field } from './parts/form.ts';
import { projectPage } from './parts/project-page.ts';

const PEOPLE = { you: 'You', operator: 'The operator' };

interface AuditLogModel {
  readonly project: Project;
  /** The id of its owner, who reads it. */
  readonly reader: string;
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** As chosen; empty for all. */
  readonly filter: Readonly<Record<'what' | 'who' | 'from' | 'to', string>>;
  /** The filter as a query: `what=…&who=…`. */
  readonly query: string;
  /** The query of the next page; null on the last one. */
  readonly older: string | null;
}

export function auditLogPage(frame: Frame, model: AuditLogModel): string {
  const { project, reader, entries, query, older } = model;
  const path = projectPath(project.id);
  return projectPage(
    frame,
    { project, title: 'Audit log', width: 'wide' },
    html`${filterForm(model.filter, path)}
      ${entries.length === 0 ? html`<p class="empty">No entries.</p>` : activity(entries, reader)}
      <p>
        ${older !== null && html`<a href="${path}/audit?${older}">Older entries</a> · `} Export:
        <a href="${path}/audit/export?format=csv&amp;${query}">CSV</a>,
        <a href="${path}/audit/export?format=ndjson&amp;${query}">NDJSON</a>. Entries are kept for 400 days.
      </p>`,
  );
}

/** GET: the filter is in the address, so that it can be kept. */
function filterForm(filter: AuditLogModel['filter'], path: string): Html {
  return html`<form method="get" action="${path}/audit" class="filter">
    ${choice('what', 'Action', AUDIT_WORDS, filter.what)} ${choice('who', 'User', PEOPLE, filter.who)}
    ${field({ name: 'from', label: 'From (UTC)', type: 'date', value: filter.from })}
    ${field({ name: 'to', label: 'To (UTC)', type: 'date', value: filter.to })}
    <div class="actions"><button type="submit">Filter</button></div>
  </form>`;
}
