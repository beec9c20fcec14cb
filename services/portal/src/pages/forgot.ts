import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout, mailboxNotice } from './layout.ts';
import { field, formError, type FormErrors } from './parts/form.ts';

/** What GET /forgot shows. */
export interface ForgotModel {
  readonly email: string;
  readonly errors?: FormErrors | undefined;
  /** The form has been sent; the page says the same whether there is such an account or not. */
  readonly sent: boolean;
}

/** POST /forgot {email}. */
export function forgotPage(frame: Frame, { email, errors, sent }: ForgotModel): string {
  const title = sent ? 'Look into your mail' : 'Forgotten the password';
  return layout(
    frame,
    { title, width: 'form' },
    sent
      ? html`<h1>${title}</h1>
          <p>If there is an account with that address, a link to choose a new password is on its way.</p>
          ${mailboxNotice(frame)}
          <p class="actions"><a href="/sign-in">Back to signing in</a></p>`
      : html`<h1>${title}</h1>
          <p>Write the address of your account; a link to choose a new password is sent there.</p>
          ${formError(errors)}
          <form method="post" action="/forgot">
            ${field({
              ...{ name: 'email', label: 'E-mail address', type: 'email', value: email },
              ...{ autocomplete: 'username', required: true, error: errors?.fields?.email },
            })}
            <div class="actions">
              <button type="submit" class="primary">Send the link</button>
              <a href="/sign-in">Back to signing in</a>
            </div>
          </form>`,
  );
}
