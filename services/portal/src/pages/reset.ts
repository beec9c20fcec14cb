import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { formError, hidden, type FormErrors } from './parts/form.ts';
import { newPasswordField } from './parts/new-password.ts';

/** What GET /reset shows. */
export interface ResetModel {
  /** The link is used or expired. */
  readonly invalid: boolean;
  /** The token of the link that was sent. */
  readonly token: string;
  readonly errors?: FormErrors | undefined;
}

/** POST /reset {token, password}. */
export function resetPage(frame: Frame, { invalid, token, errors }: ResetModel): string {
  if (invalid) {
    return layout(
      frame,
      { title: 'This link does not work any more', width: 'form' },
      html`<h1>This link does not work any more</h1>
        <p>It has been used, or it is too old.</p>
        <p class="actions"><a class="button primary" href="/forgot">Have a new one sent</a></p>`,
    );
  }
  return layout(
    frame,
    { title: 'Choose a new password', width: 'form' },
    html`<h1>Choose a new password</h1>
      <p>Whoever is signed in to this account anywhere is signed out by it.</p>
      ${formError(errors)}
      <form method="post" action="/reset">
        ${hidden('token', token)}
        ${newPasswordField({ label: 'New password', error: errors?.fields?.password })}
        <div class="actions"><button type="submit" class="primary">Set the password</button></div>
      </form>`,
  );
}
