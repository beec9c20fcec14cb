import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { field, formError, hidden, notice, type FormErrors } from './parts/form.ts';
import { waysIn, type WaysIn } from './parts/ways-in.ts';

/** What GET /sign-in shows. */
export interface SignInModel {
  /** Where to go afterwards: a path of this site. */
  readonly next: string;
  /** As submitted before, to be corrected. */
  readonly email: string;
  readonly errors?: FormErrors | undefined;
  /** What has just happened, such as "Password changed. Sign in with it." */
  readonly notice?: string | undefined;
  readonly ways: WaysIn;
}

/** POST /sign-in {email, password, next}. */
export function signInPage(frame: Frame, { next, email, errors, notice: done, ways }: SignInModel): string {
  const fields = errors?.fields ?? {};
  return layout(
    frame,
    { title: 'Sign in', modules: ['wallet'], width: 'form' },
    html`<h1>Sign in</h1>
      ${notice(done)} ${formError(errors)}
      <form method="post" action="/sign-in">
        ${hidden('next', next)}
        ${field({
          name: 'email',
          label: 'Email',
          type: 'email',
          value: email,
          error: fields.email,
          autocomplete: 'username',
          required: true,
        })}
        ${field({
          name: 'password',
          label: 'Password',
          type: 'password',
          error: fields.password,
          autocomplete: 'current-password',
          required: true,
        })}
        <div class="actions">
          <button type="submit" class="primary">Sign in</button>
          ${ways.email && html`<a href="/forgot">Forgot password?</a>`}
        </div>
      </form>
      ${waysIn(ways, next)}
      <p class="aside">
        No account yet? <a href="/sign-up?next=${encodeURIComponent(next)}">Sign up</a>; it takes a minute.
      </p>`,
  );
}
