import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { field, formError, hidden, type FormErrors } from './parts/form.ts';

export interface ResetModel {
  readonly frame: Frame;
  readonly state: 'form' | 'invalid';
  /** The token of the link that was sent. */
  readonly token: string;
  readonly errors?: FormErrors;
  readonly minPasswordLength: number;
}

/** POST /reset {token, password}. */
export function resetPage({ frame, state, token, errors, minPasswordLength }: ResetModel): string {
  if (state === 'invalid') {
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
        ${field({
          ...{
            name: 'password',
            label: 'New password',
            type: 'password',
            error: errors?.fields?.password,
          },
          ...{ autocomplete: 'new-password', required: true, minLength: minPasswordLength, maxLength: 256 },
          hint: `At least ${minPasswordLength} characters. A few unrelated words are better than one odd one.`,
        })}
        <div class="actions"><button type="submit" class="primary">Set the password</button></div>
      </form>`,
  );
}
