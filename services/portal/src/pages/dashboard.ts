import type { AuditEntry } from '@hindsight/projects/audit.ts';
import type { Project } from '@hindsight/projects/project.ts';
import type { UsageReport } from '@hindsight/usage/describe.ts';
import { projectPath } from '../domain/project-path.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { activity, AUDIT_WORDS } from './parts/audit.ts';
import { calls } from './parts/calls.ts';
import { notice, type FormErrors } from './parts/form.ts';
import { KEY_PLACEHOLDER, keyPart, type KeyModel } from './parts/key.ts';
import { usagePart } from './parts/usage.ts';

export interface DashboardModel extends KeyModel {
  readonly project: Project;
  /** The id of its owner, who reads it. */
  readonly reader: string;
  /** This month's; null while usage cannot be read. */
  readonly usage: UsageReport | null;
  /** Newest first. */
  readonly audit: readonly AuditEntry[];
  /** The gateway's public base URL, and a request that it answers, as a first call. */
  readonly apiUrl: string;
  readonly exampleUrl: string;
  readonly notice?: string | undefined;
  /** Of the rotation. */
  readonly errors?: FormErrors | undefined;
}

/** GET /dashboard/projects/<id>. */
export function dashboardPage(frame: Frame, model: DashboardModel): string {
  const { project, usage } = model;
  return layout(
    frame,
    { title: project.name, modules: ['key', 'usage', 'copy'], styles: ['account'], width: 'wide' },
    html`<h1 title="${project.name}">${project.name}</h1>
      ${notice(model.notice)}
      ${
        project.status === 'suspended' &&
        html`<p class="notice bad">This project is suspended. Requests return 403. Contact your operator.</p>`
      }
      ${keySection(model)}
      <section aria-labelledby="usage-title" class="usage">
        <h2 id="usage-title">Usage and limits</h2>
        ${usagePart(usage, project)}
      </section>
      ${moreSection(model)}`,
  );
}

function keySection(model: DashboardModel): Html {
  const { apiUrl, exampleUrl, errors, project, usage } = model;
  const path = projectPath(project.id);
  const used = usage?.requests.used;
  const ends = usage?.period.end;
  // Every month begins with none.
  const isFirst = usage?.requests.used === 0 && project.createdAt >= Date.parse(usage.period.start);
  return html`<section aria-labelledby="key-title" class="key">
    <h2 id="key-title">${isFirst ? 'Your first call' : 'API key'}</h2>
    <p>
      Your API key (the Project ID) goes into the <code>x-api-key</code> header of every request to
      <code class="base">${apiUrl}</code>. Keep it secret: anyone who has it can use your quota.
    </p>
    ${keyPart(model, path, errors)}
    ${calls({ id: 'call', url: exampleUrl, key: KEY_PLACEHOLDER, copies: 'with-key' })}
    <p
      class="waiting"
      data-watch="${path}/usage"
      data-used="${used ?? ''}"
      data-ends="${ends ?? ''}"
      role="status"
    >
      ${
        used === 0 &&
        html`<span class="pulse" data-script aria-hidden="true"></span> No requests yet this month.
          <span data-script>Waiting for a request…</span>`
      }
    </p>
  </section>`;
}

function moreSection({ project, audit, reader }: DashboardModel): Html {
  const path = projectPath(project.id);
  const [latest] = audit;
  return html`<section aria-labelledby="more-title" data-audit>
    <h2 id="more-title">Manage</h2>
    <ul class="doors">
      ${door(`${path}/keys`, 'API keys', 'Scopes, addresses, expiry')}
      ${door(`${path}/usage/report`, 'Usage report', 'By endpoint and key; alerts')}
      ${door(`${path}/audit`, 'Audit log', `Latest: ${(latest && AUDIT_WORDS[latest.action]) ?? 'none'}`)}
      ${door(`${path}/settings`, 'Settings', 'Rename, create, delete')}
    </ul>
    <details>
      <summary>Latest activity</summary>
      ${activity(audit, reader)}
    </details>
  </section>`;
}

function door(href: string, title: string, text: string): Html {
  return html`<li>
    <a href="${href}">${title}</a>
    <p class="meta">${text}</p>
  </li>`;
}
