import { isOffered, type Account } from '../domain/account.ts';
import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { emailField, passwordField } from './parts/credentials.ts';
import { formError, hidden, type FormErrors } from './parts/form.ts';
import { waysIn, type WaysIn } from './parts/ways-in.ts';

/** The page before a sensitive action of a signed-in user. */
export interface ConfirmModel {
  /** The purpose, after "to": "rotate your API key". */
  readonly purpose: string;
  /** A waiting form: its action and its fields. Null if only a page follows. */
  readonly form: { readonly then: string; readonly fields: readonly (readonly [string, string])[] } | null;
  /** The page to continue to if no form waits, or if the browser leaves for a provider. */
  readonly next: string;
  readonly account: Account;
  readonly ways: WaysIn;
  readonly errors?: FormErrors | undefined;
}

/** POST /sign-in/again?then=<path>|next=<path> {your-password, …the fields of the waiting form}. */
export function confirmPage(
  frame: Frame,
  { purpose, form, next, account, ways, errors }: ConfirmModel,
): string {
  const { passwordHash, identities } = account;
  const email = passwordHash === null ? null : account.email;
  const hasWay = email !== null || identities.some(({ provider }) => isOffered(provider, ways));
  const to = form === null ? `next=${encodeURIComponent(next)}` : `then=${encodeURIComponent(form.then)}`;
  return layout(
    frame,
    { title: 'Confirm it’s you', modules: ['wallet'], width: 'form' },
    html`<h1>Confirm it’s you</h1>
      <p>For your security, sign in again to ${purpose}.</p>
      ${formError(errors)}
      <form
        method="post"
        action="/sign-in/again?${to}"
        data-then="${form?.then ?? ''}"
        ${email === null && html`hidden`}
      >
        ${form?.fields.map(([name, value]) => hidden(name, value))}
        ${
          email !== null &&
          html`${emailField({ name: 'your-email', value: email, required: false, readOnly: true })}
            ${passwordField({ name: 'your-password', autofocus: true, error: errors?.fields?.['your-password'] })}
            <div class="actions">
              <button type="submit" class="primary">Confirm</button>
              ${ways.email && html`<a href="/forgot">Forgot password?</a>`}
            </div>`
        }
      </form>
      ${waysIn({ ...ways, email: email !== null }, next, account)}
      ${
        !hasWay &&
        html`<p class="notice">
          The provider that you signed in with is turned off on this server.
          ${account.email !== null && ways.email ? html`<a href="/forgot">Set a password</a> first.` : 'Contact your operator.'}
        </p>`
      }`,
  );
}
