import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout, mailboxNotice } from './layout.ts';
import { field, hidden, type FormErrors } from './parts/form.ts';

/** What GET /verify shows. */
export interface VerifyModel {
  /**
   * sent: the mail is on its way; confirm: the link was opened, one press of a button uses it up (so that a mail
   * scanner that follows links does not); invalid: the link is used up or too old.
   */
  readonly state: 'sent' | 'confirm' | 'invalid';
  /** The address that the link confirms; null where the reader need not know it. */
  readonly email: string | null;
  /** The token of the link, for `confirm`. */
  readonly token?: string;
  /** The link was opened in another browser than that of the sign-up, which has to prove that it is the same person. */
  readonly password?: boolean;
  readonly errors?: FormErrors | undefined;
}

/** POST /verify {token, password?} confirms; POST /verify/again {email} sends another mail. */
export function verifyPage(frame: Frame, model: VerifyModel): string {
  const titles = {
    sent: 'Look into your mail',
    confirm: 'Confirm your address',
    invalid: 'This link does not work any more',
  };
  const title = titles[model.state];
  return layout(
    frame,
    { title, width: 'form' },
    html`<h1>${title}</h1>
      ${content(frame, model)}`,
  );
}

function content(frame: Frame, { state, email, token, password, errors }: VerifyModel): Html {
  if (state === 'confirm') {
    return html`<p>
        One press, and the address${email && html` <strong>${email}</strong>`} is confirmed as yours.
      </p>
      <form method="post" action="/verify">
        ${hidden('token', token ?? '')}
        ${
          password &&
          field({
            ...{ name: 'password', label: 'The password you signed up with', type: 'password' },
            ...{ autocomplete: 'current-password', required: true, error: errors?.fields?.password },
          })
        }
        <div class="actions"><button type="submit" class="primary">Confirm the address</button></div>
      </form>`;
  }
  return html`${
      state === 'sent'
        ? html`<p>A link to confirm your address is on its way.</p>`
        : html`<p>It has been used, or it is too old. Have a new one sent to you.</p>`
    }
    ${mailboxNotice(frame)}
    <form method="post" action="/verify/again">
      ${field({
        ...{ name: 'email', label: 'E-mail address', type: 'email' },
        ...{ autocomplete: 'username', required: true },
      })}
      <div class="actions"><button type="submit">Send another link</button></div>
    </form>`;
}
