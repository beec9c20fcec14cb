import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { emailField, passwordField, WITHOUT_COOKIES } from './parts/credentials.ts';
import { hidden, notice, type FormErrors } from './parts/form.ts';
import { waysIn, type WaysIn } from './parts/ways-in.ts';

export interface SignInModel {
  /** The next page: a path of this site. */
  readonly next: string;
  /** As submitted before, to be corrected. */
  readonly email: string;
  readonly errors?: FormErrors | undefined;
  /** A message about the last action, such as "Password changed. Sign in with it." */
  readonly notice?: string | undefined;
  readonly ways: WaysIn;
}

/** POST /sign-in {email, password, next}. */
export function signInPage(frame: Frame, { next, email, errors, notice: done, ways }: SignInModel): string {
  return layout(
    frame,
    { title: 'Sign in', modules: ['wallet'], width: 'form' },
    html`<h1>Sign in</h1>
      ${WITHOUT_COOKIES} ${notice(done)}
      ${errors?.form && html`<p class="notice bad" role="alert">${errors.form}</p>`}
      <form method="post" action="/sign-in">
        ${hidden('next', next)} ${emailField({ value: email })}
        ${passwordField({ autofocus: errors !== undefined })}
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
