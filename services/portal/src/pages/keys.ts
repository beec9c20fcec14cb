import { projectPath } from '../domain/project-path.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { field, formError, type FormErrors } from './parts/form.ts';
import { count, day, moment } from './parts/format.ts';
import { keyFields, type KeyFormValues } from './parts/key-form.ts';
import { projectPage } from './parts/project-page.ts';
import { rotationForm } from './parts/rotation.ts';
import { scrollTable } from './parts/table.ts';

/** One key of the list. */
export interface KeyLine {
  readonly id: string;
  readonly name: string;
  /** What is always visible of it: hs_…3xYz. */
  readonly masked: string;
  readonly status: 'active' | 'expired' | 'revoked';
  readonly scopes: readonly string[];
  readonly addresses: readonly string[];
  readonly origins: readonly string[];
  readonly cap: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  /** When its previous secret stops working; null if there is none. */
  readonly previousUntil: Date | null;
}

/** The project, and whether its owner has signed in recently: else the forms are not shown. */
interface KeysPage {
  readonly project: { readonly id: string; readonly name: string };
  readonly isRecent: boolean;
  readonly notice?: string | undefined;
  readonly errors?: FormErrors | undefined;
}

/** What GET /dashboard/projects/<id>/keys shows. */
export interface KeysModel extends KeysPage {
  readonly keys: readonly KeyLine[];
  readonly maxKeys: number;
  /** What the form to create one has. */
  readonly form: KeyFormValues;
}

/** What GET /dashboard/projects/<id>/keys/<key> shows. */
export interface KeyModel extends KeysPage {
  readonly key: KeyLine;
  readonly form: KeyFormValues;
  /** The key itself, just revealed. */
  readonly secret?: string | undefined;
  readonly isOnly: boolean;
}

/** What GET /dashboard/projects/<id>/delete shows. */
export type DeleteModel = KeysPage;

/** GET /dashboard/projects/<id>/keys; POST there creates one. */
export function keysPage(frame: Frame, model: KeysModel): string {
  const { project, keys, maxKeys, form, errors } = model;
  const living = keys.filter(({ status }) => status !== 'revoked');
  const revoked = keys.filter(({ status }) => status === 'revoked');
  return projectPage(
    frame,
    { project, title: 'API keys', notice: model.notice, width: 'wide' },
    html`<section aria-labelledby="keys-title">
        <h2 id="keys-title">${living.length} of ${maxKeys} keys</h2>
        ${table(project.id, living, 'API keys of this project')}
      </section>
      ${
        revoked.length > 0 &&
        html`<details>
          <summary>Revoked keys</summary>
          ${table(project.id, revoked, 'Revoked API keys of this project')}
        </details>`
      }
      ${ifRecent(
        model,
        pathOf(project.id),
        html`<details ${errors && html`open`}>
          <summary>Create a key</summary>
          <form method="post" action="${pathOf(project.id)}" class="narrow">
            ${keyFields(form, errors)}
            <div class="actions"><button type="submit">Create key</button></div>
          </form>
        </details>`,
      )}`,
  );
}

/** GET /dashboard/projects/<id>/keys/<key>; POST there changes it, and below it reveals, rotates and revokes it. */
export function keyPage(frame: Frame, model: KeyModel): string {
  const { project, key, form, errors, isOnly, secret } = model;
  const path = `${pathOf(project.id)}/${encodeURIComponent(key.id)}`;
  return projectPage(
    frame,
    {
      project,
      title: `API key ${key.name}`,
      notice: model.notice,
      way: html` · <a href="${pathOf(project.id)}">API keys</a>`,
    },
    html`<div class="key-line"><output class="figure" id="secret">${secret ?? key.masked}</output></div>
      ${
        secret !== undefined &&
        html`<p class="hint">Visible on this page only. This view was recorded in the audit log.</p>
          <button type="button" class="quiet" data-copy="secret">Copy</button>`
      }
      ${key.previousUntil && html`<p class="notice">The previous key works until ${moment(key.previousUntil)}.</p>`}
      ${key.status === 'expired' && html`<p class="notice bad">This key has expired. Requests return 401.</p>`}
      ${
        key.revokedAt
          ? html`<p class="notice bad">
              This key was revoked on ${moment(key.revokedAt)}. Requests return 401.
            </p>`
          : ifRecent(
              model,
              path,
              html`${
                  secret === undefined &&
                  html`<form method="post" action="${path}/reveal">
                    <div class="actions"><button type="submit">Show key</button></div>
                  </form>`
                }
                <section aria-labelledby="terms-title">
                  <h2 id="terms-title">What this key may do</h2>
                  <form method="post" action="${path}">
                    ${keyFields(form, errors)}
                    <div class="actions"><button type="submit">Save</button></div>
                  </form>
                </section>
                <section aria-labelledby="end-title">
                  <h2 id="end-title">Replace or revoke</h2>
                  ${rotationForm(path)}
                  ${
                    isOnly
                      ? html`<p class="hint">This is the project’s only key, so it cannot be revoked.</p>`
                      : html`<form method="post" action="${path}/revoke">
                          <p>Requests with this key are refused within a second. This cannot be undone.</p>
                          <div class="actions">
                            <button type="submit" class="danger">Revoke key</button>
                          </div>
                        </form>`
                  }
                </section>`,
            )
      }`,
  );
}

/** GET /dashboard/projects/<id>/delete; POST there {name} deletes the project. */
export function deletePage(frame: Frame, model: DeleteModel): string {
  const { project, errors } = model;
  const path = `${projectPath(project.id)}/delete`;
  return projectPage(
    frame,
    { project, title: `Delete ${project.name}` },
    html`<p>
        All of its API keys stop working immediately and permanently. Its usage and audit log are kept for the
        operator’s records. This cannot be undone.
      </p>
      ${ifRecent(
        model,
        path,
        html`<form method="post" action="${path}">
          ${formError(errors)}
          ${field({
            name: 'name',
            label: `Type the project’s name to confirm: ${project.name}`,
            autocomplete: 'off',
            required: true,
            error: errors?.fields?.name,
          })}
          <div class="actions"><button type="submit" class="danger">Delete project</button></div>
        </form>`,
      )}`,
  );
}

/** Forms that need a recent sign-in are shown after it only: nothing that was typed is lost on the way. */
function ifRecent({ isRecent }: KeysPage, path: string, body: Html): Html {
  if (isRecent) return body;
  const again = `/sign-in?again=1&next=${encodeURIComponent(path)}`;
  return html`<p class="notice"><a href="${again}">Sign in again</a> to make changes.</p>`;
}

function table(projectId: string, keys: readonly KeyLine[], label: string): Html {
  return scrollTable({
    label,
    columns: ['Name', 'Key', 'Scopes', 'Limits', 'Last used', 'Created'],
    rows: keys.map(
      (key) =>
        html`<tr>
          <td><a href="${pathOf(projectId)}/${encodeURIComponent(key.id)}">${key.name}</a></td>
          <td class="figure">${key.masked}</td>
          <td>${key.scopes.join(', ')}</td>
          <td>${limits(key)}</td>
          <td>${key.lastUsedAt ? moment(key.lastUsedAt) : 'Never'}</td>
          <td>${day(key.createdAt)}</td>
        </tr>`,
    ),
  });
}

function limits({ status, addresses, origins, cap, expiresAt, revokedAt }: KeyLine): Html {
  const all = [
    revokedAt && html`revoked ${moment(revokedAt)}`,
    status === 'expired' && html`expired`,
    status === 'active' && expiresAt && html`expires ${moment(expiresAt)}`,
    cap !== null && html`${count(cap)} units a month`,
    addresses.length > 0 && html`from ${addresses.join(', ')}`,
    origins.length > 0 && html`on ${origins.join(', ')}`,
  ].filter((one) => one !== false && one !== null);
  if (all.length === 0) return html`–`;
  return html`${all.map((one, at) => html`${at > 0 && ', '}${one}`)}`;
}

function pathOf(projectId: string): string {
  return `${projectPath(projectId)}/keys`;
}
