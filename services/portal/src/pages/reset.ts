import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { newPasswordField } from './parts/credentials.ts';
import { formError, hidden, type FormErrors } from './parts/form.ts';

export interface ResetModel {
  /** The link is used or expired. */
  readonly invalid: boolean;
  readonly token: string;
  readonly errors?: FormErrors | undefined;
}

/** POST /reset {token, password}. */
export function resetPage(frame: Frame, { invalid, token, errors }: ResetModel): string {
  if (invalid) {
    return layout(
      frame,
      { title: 'This link has expired', width: 'form' },
      html`<h1>This link has expired</h1>
        <p>It was already used or is too old.</p>
        <p class="actions"><a class="button primary" href="/forgot">Send a new one</a></p>`,
    );
  }
  return layout(
    frame,
    { title: 'Choose a new password', width: 'form' },
    html`<h1>Choose a new password</h1>
      <p>This signs you out everywhere.</p>
      ${formError(errors)}
      <form method="post" action="/reset">
        ${hidden('token', token)}
        ${newPasswordField({ label: 'New password', error: errors?.fields?.password })}
        <div class="actions"><button type="submit" class="primary">Set password</button></div>
      </form>`,
  );
}
