import type { ListedKey } from '@hindsight/projects/ports.ts';
import { MAX_KEYS } from '@hindsight/projects/project-key.ts';
import type { Project } from '@hindsight/projects/project.ts';
import { projectPath } from '../domain/project-path.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { field, formError, hidden, type FormErrors } from './parts/form.ts';
import { count, day, moment } from './parts/format.ts';
import { keyFields, type KeyFormValues } from './parts/key-form.ts';
import { projectPage } from './parts/project-page.ts';
import { rotationForm } from './parts/rotation.ts';
import { scrollTable } from './parts/table.ts';

/** The project, and true if its owner has signed in recently: else the forms are hidden. */
interface KeysPage {
  readonly project: Project;
  readonly isRecent: boolean;
  readonly notice?: string | undefined;
  readonly errors?: FormErrors | undefined;
}

export interface KeysModel extends KeysPage {
  readonly keys: readonly ListedKey[];
  /** Unix milliseconds. */
  readonly now: number;
  readonly form: KeyFormValues;
}

export interface KeyModel extends KeysPage {
  readonly key: ListedKey;
  /** Unix milliseconds. */
  readonly now: number;
  readonly form: KeyFormValues;
  /** A mark of the key’s terms, which the form sends back. */
  readonly shown: string;
  /** The key itself, just revealed. */
  readonly secret?: string | undefined;
  readonly isOnly: boolean;
}

/** GET /dashboard/projects/<id>/keys; POST there creates one. */
export function keysPage(frame: Frame, model: KeysModel): string {
  const { project, keys, now, form, errors } = model;
  const living = keys.filter(({ revokedAt }) => revokedAt === null);
  const revoked = keys.filter(({ revokedAt }) => revokedAt !== null);
  return projectPage(
    frame,
    { project, title: 'API keys', notice: model.notice, width: 'wide' },
    html`<section aria-labelledby="keys-title">
        <h2 id="keys-title">${living.length} of ${MAX_KEYS} keys</h2>
        ${table(living, { project, now, label: 'API keys of this project' })}
      </section>
      ${
        revoked.length > 0 &&
        html`<details>
          <summary>Revoked keys</summary>
          ${table(revoked, { project, now, label: 'Revoked API keys of this project' })}
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
  const { project, key, now, form, shown, errors, isOnly, secret } = model;
  const [previousUntil] = key.oldEnds;
  const path = `${pathOf(project.id)}/${encodeURIComponent(key.id)}`;
  return projectPage(
    frame,
    {
      project,
      title: `API key: ${key.name}`,
      notice: model.notice,
      way: html` · <a href="${pathOf(project.id)}">API keys</a>`,
    },
    html`<div class="key-line"><output class="figure" id="secret">${secret ?? maskOf(key)}</output></div>
      ${
        secret !== undefined &&
        html`<p class="hint">Visible on this page only. This view was recorded in the audit log.</p>
          <button type="button" class="quiet" data-copy="secret">Copy</button>`
      }
      ${
        previousUntil !== undefined &&
        html`<p class="notice">
          The previous key works until ${moment(previousUntil)}.
          ${
            key.oldUsedAt === null
              ? 'No request had used it since the rotation, as of two minutes ago.'
              : html`It was last used on ${moment(key.oldUsedAt)}.`
          }
        </p>`
      }
      ${hasExpired(key, now) && html`<p class="notice bad">This key has expired. Requests return 401.</p>`}
      ${
        key.revokedAt !== null
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
                    ${hidden('shown', shown)} ${keyFields(form, errors)}
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
export function deletePage(frame: Frame, model: KeysPage): string {
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

/** Shows forms that need a recent sign-in only after it, so that no typed text is lost on the way. */
function ifRecent({ isRecent }: KeysPage, path: string, body: Html): Html {
  if (isRecent) return body;
  const again = `/sign-in?again=1&next=${encodeURIComponent(path)}`;
  return html`<p class="notice"><a href="${again}">Sign in again</a> to make changes.</p>`;
}

function table(
  keys: readonly ListedKey[],
  { project, now, label }: Pick<KeysModel, 'project' | 'now'> & { readonly label: string },
): Html {
  return scrollTable({
    label,
    columns: ['Name', 'Key', 'Scopes', 'Limits', 'Last used', 'Created'],
    rows: keys.map(
      (key) =>
        html`<tr>
          <td><a href="${pathOf(project.id)}/${encodeURIComponent(key.id)}">${key.name}</a></td>
          <td class="figure">${maskOf(key)}</td>
          <td>${key.scopes.join(', ')}</td>
          <td>${limits(key, now)}</td>
          <td>${key.lastUsedAt === null ? 'Never' : moment(key.lastUsedAt)}</td>
          <td>${day(key.createdAt)}</td>
        </tr>`,
    ),
  });
}

function limits(key: ListedKey, now: number): Html {
  const { expiresAt, revokedAt, monthlyCap, allowedAddresses, allowedOrigins } = key;
  const expiry =
    expiresAt !== null && (expiresAt <= now ? html`expired` : html`expires ${moment(expiresAt)}`);
  const all = [
    revokedAt === null ? expiry : html`revoked ${moment(revokedAt)}`,
    monthlyCap !== null && html`${count(monthlyCap)} units a month`,
    allowedAddresses.length > 0 && html`from ${allowedAddresses.join(', ')}`,
    allowedOrigins.length > 0 && html`on ${allowedOrigins.join(', ')}`,
  ].filter((one) => one !== false);
  if (all.length === 0) return html`–`;
  return html`${all.map((one, at) => html`${at > 0 && ', '}${one}`)}`;
}

/** The part of a key that is always visible. */
function maskOf({ last4 }: ListedKey): string {
  return `hs_…${last4 ?? ''}`;
}

export function hasExpired({ expiresAt, revokedAt }: ListedKey, now: number): boolean {
  return revokedAt === null && expiresAt !== null && expiresAt <= now;
}

function pathOf(projectId: string): string {
  return `${projectPath(projectId)}/keys`;
}
