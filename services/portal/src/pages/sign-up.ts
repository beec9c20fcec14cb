import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { emailField, newPasswordField, WITHOUT_COOKIES } from './parts/credentials.ts';
import { formError, hidden, type FormErrors } from './parts/form.ts';
import { NO_EMAIL, waysIn, type WaysIn } from './parts/ways-in.ts';

export interface SignUpModel {
  readonly next: string;
  readonly email: string;
  readonly errors?: FormErrors | undefined;
  readonly ways: WaysIn;
}

/** POST /sign-up {email, password, next}. */
export function signUpPage(frame: Frame, { next, email, errors, ways }: SignUpModel): string {
  return layout(
    frame,
    { title: 'Create your account', modules: ['wallet'], width: 'form' },
    html`<h1>Create your account</h1>
      <p>Your first project and its API key (the Project ID) are created for you.</p>
      ${WITHOUT_COOKIES} ${ways.email && formError(errors)}
      ${ways.email ? emailForm({ next, email, errors }) : html`<p class="notice">${NO_EMAIL}</p>`}
      ${waysIn(ways, next)}
      <p class="aside">
        Already have an account? <a href="/sign-in?next=${encodeURIComponent(next)}">Sign in</a>.
      </p>`,
  );
}

function emailForm({ next, email, errors }: Omit<SignUpModel, 'ways'>): Html {
  const fields = errors?.fields ?? {};
  return html`<form method="post" action="/sign-up">
    ${hidden('next', next)}
    ${emailField({ value: email, error: fields.email, hint: 'We’ll email you a confirmation link.' })}
    ${newPasswordField({ error: fields.password })}
    <div class="actions"><button type="submit" class="primary">Sign up</button></div>
  </form>`;
}
