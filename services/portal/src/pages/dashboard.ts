import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { auditSection, type AuditLine } from './parts/audit.ts';
import { field, formError, notice, type FormErrors } from './parts/form.ts';
import { keySection, type KeyModel } from './parts/key.ts';
import { planSection, type PlanOffer } from './parts/plan-section.ts';
import { usageSection, type UsageModel } from './parts/usage.ts';

/** One of the reader's projects. */
export interface ProjectChoice {
  readonly id: string;
  readonly name: string;
}

/** What GET /dashboard/projects/<id> shows. */
export interface DashboardModel {
  /** All projects of the reader, this one among them. */
  readonly projects: readonly ProjectChoice[];
  readonly project: ProjectChoice & {
    readonly status: 'active' | 'suspended';
    readonly plan: PlanOffer;
    readonly createdAt: Date;
  };
  readonly key: KeyModel;
  /** null when usage cannot be read at the moment. */
  readonly usage: UsageModel | null;
  readonly plans: readonly PlanOffer[];
  /** Newest first. */
  readonly audit: readonly AuditLine[];
  /** A request that the gateway answers, to be the first one. */
  readonly exampleUrl: string;
  readonly notice?: string | undefined;
  readonly errors?: DashboardErrors | undefined;
}

interface DashboardErrors {
  readonly rename?: FormErrors;
  readonly create?: FormErrors;
  readonly rotate?: FormErrors;
}

/** GET /dashboard/projects/<id>. */
export function dashboardPage(frame: Frame, model: DashboardModel): string {
  const { project, usage, plans, audit } = model;
  return layout(
    frame,
    {
      title: project.name,
      modules: ['key', 'usage', 'copy'],
      scripts: ['vendor/uplot'],
      styles: ['account', 'vendor/uplot'],
      width: 'wide',
    },
    html`<h1>${project.name}</h1>
      ${projectList(model)} ${notice(model.notice)}
      ${
        project.status === 'suspended' &&
        html`<p class="notice bad">This project is suspended. Requests return 403. Contact your operator.</p>`
      }
      ${keySection(model.key, project.id, model.errors?.rotate)} ${usageSection(usage, firstCall(model))}
      ${planSection(project.plan, plans)} ${auditSection(audit)} ${settings(model)}`,
  );
}

function projectList({ projects, project }: DashboardModel): Html | null {
  if (projects.length < 2) return null;
  return html`<nav class="projects" aria-label="Projects">
    <ul>
      ${projects.map(
        ({ id, name }) =>
          html`<li>
            <a
              href="/dashboard/projects/${encodeURIComponent(id)}"
              ${id === project.id && html`aria-current="page"`}
              >${name}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}

/** How to make the first request; public/usage.js watches for it. */
function firstCall({ project, exampleUrl }: DashboardModel): Html {
  const path = `/dashboard/projects/${encodeURIComponent(project.id)}`;
  return html`<p data-first-call="${path}/usage" role="status">
      No requests yet this month. Copy your API key above and make your first call:
    </p>
    <div class="code">
      <pre
        tabindex="0"
        role="group"
        aria-label="A request with curl"
      ><code id="first-call">curl -H 'x-api-key: YOUR_API_KEY' '${exampleUrl}'</code></pre>
      <button type="button" class="quiet" data-copy="first-call">Copy</button>
    </div>`;
}

/** POST /dashboard/projects/<id>/name {name}; POST /dashboard/projects {name}. */
function settings({ project, errors }: DashboardModel): Html {
  const id = encodeURIComponent(project.id);
  return html`<section aria-labelledby="settings-title" class="pair">
    <h2 id="settings-title">Projects</h2>
    <form method="post" action="/dashboard/projects/${id}/name">
      ${formError(errors?.rename)}
      ${field({
        id: 'rename',
        name: 'name',
        label: 'Project name',
        value: project.name,
        required: true,
        maxLength: 100,
        error: errors?.rename?.fields?.name,
      })}
      <div class="actions"><button type="submit">Rename</button></div>
    </form>
    <form method="post" action="/dashboard/projects">
      ${formError(errors?.create)}
      ${field({
        id: 'create',
        name: 'name',
        label: 'New project',
        required: true,
        maxLength: 100,
        error: errors?.create?.fields?.name,
      })}
      <div class="actions"><button type="submit">Create project</button></div>
    </form>
  </section>`;
}
