import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { field, formError, notice, type FormErrors } from './parts/form.ts';
import { linkedSection, type LinkedSignIn } from './parts/linked.ts';
import { newPasswordField } from './parts/new-password.ts';
import { sessionsSection, type SessionLine } from './parts/sessions.ts';
import type { WaysIn } from './parts/ways-in.ts';

/** What GET /account shows. */
export interface AccountModel {
  /** Confirmed; null if there is none. */
  readonly email: string | null;
  /** A new address that is not confirmed yet. */
  readonly pendingEmail: string | null;
  readonly hasPassword: boolean;
  readonly linked: readonly LinkedSignIn[];
  /** The ways in that can be linked. */
  readonly ways: WaysIn;
  readonly sessions: readonly SessionLine[];
  readonly notice?: string | undefined;
  readonly errors?: AccountErrors | undefined;
}

interface AccountErrors {
  readonly email?: FormErrors;
  readonly password?: FormErrors;
  readonly linked?: FormErrors;
  readonly delete?: FormErrors;
}

/** GET /account. */
export function accountPage(frame: Frame, model: AccountModel): string {
  const { sessions, linked, ways, errors } = model;
  return layout(
    frame,
    { title: 'Account', modules: ['wallet'], width: 'text', styles: ['account'] },
    html`<h1>Account</h1>
      ${notice(model.notice)} ${emailSection(model)} ${passwordSection(model)}
      ${linkedSection(linked, ways, errors?.linked)} ${sessionsSection(sessions)} ${deleteSection(model)}`,
  );
}

/** POST /account/email {email}. */
function emailSection({ email, pendingEmail, ways, errors }: AccountModel): Html {
  return html`<section aria-labelledby="email-title">
    <h2 id="email-title">Email</h2>
    <p>
      ${email ? html`<strong>${email}</strong>, confirmed.` : 'None yet.'}
      ${pendingEmail && html`<strong>${pendingEmail}</strong> replaces it once confirmed.`}
    </p>
    ${formError(errors?.email, { email: 'new-email' })}
    ${
      ways.email
        ? html`<form method="post" action="/account/email">
            ${field({
              id: 'new-email',
              name: 'email',
              label: email ? 'New email' : 'Email',
              type: 'email',
              autocomplete: 'email',
              required: true,
              error: errors?.email?.fields?.email,
            })}
            <div class="actions">
              <button type="submit">${email ? 'Change email' : 'Add email'}</button>
            </div>
          </form>`
        : html`<p class="hint">This server can’t send email, so you can’t change your address here.</p>`
    }
  </section>`;
}

/** POST /account/password {current, password}. */
function passwordSection(model: AccountModel): Html {
  const { email, hasPassword } = model;
  return html`<section aria-labelledby="password-title">
    <h2 id="password-title">Password</h2>
    ${
      email === null && !hasPassword
        ? html`<p class="hint">Add an email address first. You sign in with both.</p>`
        : passwordForm(model)
    }
  </section>`;
}

function passwordForm({ hasPassword, errors }: AccountModel): Html {
  const fields = errors?.password?.fields ?? {};
  return html`${formError(errors?.password)}
    <form method="post" action="/account/password">
      ${
        hasPassword &&
        field({
          name: 'current',
          label: 'Current password',
          type: 'password',
          error: fields.current,
          autocomplete: 'current-password',
          required: true,
        })
      }
      ${newPasswordField({
        label: 'New password',
        error: fields.password,
        hint: 'You stay signed in here; all other sessions end.',
      })}
      <div class="actions">
        <button type="submit">${hasPassword ? 'Change password' : 'Set a password'}</button>
      </div>
    </form>`;
}

/** POST /account/delete {confirm: "delete"}. */
function deleteSection({ errors }: AccountModel): Html {
  return html`<section aria-labelledby="delete-title" class="last">
    <h2 id="delete-title">Delete account</h2>
    <p>
      Your account, its projects and their API keys are permanently deleted. Keys stop working immediately.
    </p>
    ${formError(errors?.delete)}
    <form method="post" action="/account/delete">
      ${field({
        name: 'confirm',
        label: 'Type “delete” to confirm',
        autocomplete: 'off',
        required: true,
        error: errors?.delete?.fields?.confirm,
      })}
      <div class="actions"><button type="submit" class="danger">Delete account</button></div>
    </form>
  </section>`;
}
