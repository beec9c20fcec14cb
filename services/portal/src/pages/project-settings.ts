import type { Project } from '@hindsight/projects/project.ts';
import { projectPath } from '../domain/project-path.ts';
import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { field, formError, hidden, type FormErrors } from './parts/form.ts';
import { projectPage } from './parts/project-page.ts';

export interface ProjectSettingsModel {
  readonly project: Project;
  /** The id of its owner, who reads it. */
  readonly reader: string;
  readonly notice?: string | undefined;
  readonly errors?: { readonly rename?: FormErrors; readonly create?: FormErrors } | undefined;
}

/** POST /dashboard/projects/<id>/name {name}; POST /dashboard/projects {account, name}: another account may have signed in since. */
export function projectSettingsPage(
  frame: Frame,
  { project, reader, notice: done, errors }: ProjectSettingsModel,
): string {
  const path = projectPath(project.id);
  const { rename, create } = errors ?? {};
  return projectPage(
    frame,
    { project, title: 'Project settings', notice: done },
    html`<section aria-labelledby="rename-title">
        <h2 id="rename-title">Name</h2>
        <form method="post" action="${path}/name">
          ${formError(rename, { name: 'rename' })}
          ${field({
            id: 'rename',
            name: 'name',
            label: 'Project name',
            value: project.name,
            required: true,
            maxLength: 100,
            error: rename?.fields?.name,
          })}
          <div class="actions"><button type="submit">Rename</button></div>
        </form>
      </section>
      <section aria-labelledby="create-title">
        <h2 id="create-title">New project</h2>
        <p>Each project has its own API keys, plan and usage.</p>
        <form method="post" action="/dashboard/projects">
          ${hidden('account', reader)} ${formError(create, { name: 'create' })}
          ${field({
            id: 'create',
            name: 'name',
            label: 'Name of the new project',
            required: true,
            maxLength: 100,
            error: create?.fields?.name,
          })}
          <div class="actions"><button type="submit">Create project</button></div>
        </form>
      </section>
      <section aria-labelledby="delete-title">
        <h2 id="delete-title">Delete</h2>
        <p>
          <a href="${path}/delete">Delete this project</a> and its API keys. You will be asked to confirm.
        </p>
      </section>`,
  );
}
