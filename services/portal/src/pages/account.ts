import type { Account } from '../domain/account.ts';
import type { Session } from '../ports.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { emailField, newPasswordField, passwordField } from './parts/credentials.ts';
import { field, formError, hidden, notice, type FormErrors } from './parts/form.ts';
import { linkedSection } from './parts/linked.ts';
import { sessionsSection } from './parts/sessions.ts';
import type { WaysIn } from './parts/ways-in.ts';

export interface AccountModel {
  readonly account: Account;
  /** A new address that is not confirmed yet. */
  readonly pendingEmail: string | null;
  readonly ways: WaysIn;
  readonly sessions: readonly Session[];
  /** The id of this one. */
  readonly current: string;
  readonly notice?: string | undefined;
  readonly errors?: AccountErrors | undefined;
}

interface AccountErrors {
  readonly email?: FormErrors;
  readonly password?: FormErrors;
  readonly linked?: FormErrors;
  readonly delete?: FormErrors;
}

export function accountPage(frame: Frame, model: AccountModel): string {
  const { account, sessions, current, ways, errors } = model;
  return layout(
    frame,
    { title: 'Account', modules: ['wallet'], width: 'text', styles: ['account'] },
    html`<h1>Account</h1>
      ${notice(model.notice)} ${emailSection(model)} ${passwordSection(model)}
      ${linkedSection(account, ways, errors?.linked)} ${sessionsSection(account.id, sessions, current)}
      ${deleteSection(model)}`,
  );
}

/** POST /account/email {account, email}; the forms name their account, which need not be signed in any more. */
function emailSection({ account: { id, email }, pendingEmail, ways, errors }: AccountModel): Html {
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
            ${hidden('account', id)}
            ${emailField({
              id: 'new-email',
              label: email ? 'New email' : 'Email',
              autocomplete: 'email',
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
  const { email, passwordHash } = model.account;
  return html`<section aria-labelledby="password-title">
    <h2 id="password-title">Password</h2>
    ${
      email === null && passwordHash === null
        ? html`<p class="hint">Add an email address first. You sign in with both.</p>`
        : passwordForm(model)
    }
  </section>`;
}

function passwordForm({ account, errors }: AccountModel): Html {
  const hasPassword = account.passwordHash !== null;
  const fields = errors?.password?.fields ?? {};
  return html`${formError(errors?.password)}
    <form method="post" action="/account/password">
      ${hidden('account', account.id)}
      ${hasPassword && passwordField({ name: 'current', label: 'Current password', error: fields.current })}
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
function deleteSection({ account, errors }: AccountModel): Html {
  return html`<section aria-labelledby="delete-title" class="last">
    <h2 id="delete-title">Delete account</h2>
    <p>
      Your account, its projects and their API keys are permanently deleted. Keys stop working immediately.
    </p>
    ${formError(errors?.delete)}
    <form method="post" action="/account/delete">
      ${hidden('account', account.id)}
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
