import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout, mailboxNotice } from './layout.ts';
import { emailField } from './parts/credentials.ts';
import { formError, type FormErrors } from './parts/form.ts';
import { NO_EMAIL, type WaysIn } from './parts/ways-in.ts';

export interface ForgotModel {
  readonly email: string;
  readonly errors?: FormErrors | undefined;
  /** The form was submitted. The page is the same whether or not the account exists. */
  readonly sent: boolean;
  readonly ways: WaysIn;
}

/** POST /forgot {email}. */
export function forgotPage(frame: Frame, model: ForgotModel): string {
  const title = model.sent ? 'Check your email' : 'Reset your password';
  return layout(
    frame,
    { title, width: 'form' },
    html`<h1>${title}</h1>
      ${content(frame, model)}
      <p class="actions"><a href="/sign-in">Back to sign-in</a></p>`,
  );
}

function content(frame: Frame, { email, errors, sent, ways }: ForgotModel): Html {
  if (!ways.email) return html`<p class="notice">${NO_EMAIL}</p>`;
  if (sent)
    return html`<p>If an account with that email exists, we’ve sent it a reset link.</p>
      ${mailboxNotice(frame)}`;
  return html`<p>Enter your email and we’ll send you a reset link.</p>
    ${formError(errors)}
    <form method="post" action="/forgot">
      ${emailField({ value: email, error: errors?.fields?.email })}
      <div class="actions"><button type="submit" class="primary">Send reset link</button></div>
    </form>`;
}
