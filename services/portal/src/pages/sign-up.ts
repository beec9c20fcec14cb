import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { field, formError, hidden, type FormErrors } from './parts/form.ts';
import { newPasswordField } from './parts/new-password.ts';
import { waysIn, type WaysIn } from './parts/ways-in.ts';

/** What GET /sign-up shows. */
export interface SignUpModel {
  readonly next: string;
  readonly email: string;
  readonly errors?: FormErrors | undefined;
  readonly ways: WaysIn;
}

/** POST /sign-up {email, password, next}. */
export function signUpPage(frame: Frame, { next, email, errors, ways }: SignUpModel): string {
  const fields = errors?.fields ?? {};
  return layout(
    frame,
    { title: 'Create your account', modules: ['wallet'], width: 'form' },
    html`<h1>Create your account</h1>
      <p>Your first project and its API key (the Project ID) are created for you.</p>
      ${formError(errors)}
      <form method="post" action="/sign-up">
        ${hidden('next', next)}
        ${field({
          ...{ name: 'email', label: 'Email', type: 'email', value: email, error: fields.email },
          ...{ autocomplete: 'username', required: true, hint: 'We’ll email you a confirmation link.' },
        })}
        ${newPasswordField({ label: 'Password', error: fields.password })}
        <div class="actions"><button type="submit" class="primary">Sign up</button></div>
      </form>
      ${waysIn(ways, next)}
      <p class="aside">
        Already have an account? <a href="/sign-in?next=${encodeURIComponent(next)}">Sign in</a>.
      </p>`,
  );
}
