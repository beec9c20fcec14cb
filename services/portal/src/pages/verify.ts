import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout, mailboxNotice } from './layout.ts';
import { emailField, passwordField } from './parts/credentials.ts';
import { formError, hidden, type FormErrors } from './parts/form.ts';

export interface VerifyModel {
  /**
   * sent: the email is on its way; confirm: the link was opened, and pressing a button uses it (so that mail scanners
   * that follow links do not); invalid: the link was used or has expired; others: it is of another account.
   */
  readonly state: 'sent' | 'confirm' | 'invalid' | 'others';
  /** The address that the link confirms, or was sent to; null if it is unknown here. */
  readonly email?: string | null;
  /** The token of the link, for `confirm`. */
  readonly token?: string;
  /**
   * The link was opened in another browser than the sign-up's, so the user must prove to be the same person.
   */
  readonly password?: boolean;
  readonly errors?: FormErrors | undefined;
}

/** POST /verify {token, password?} confirms; POST /verify/again {email} sends another email. */
export function verifyPage(frame: Frame, model: VerifyModel): string {
  const titles = {
    sent: 'Check your email',
    confirm: 'Confirm your email',
    invalid: 'This link has expired',
    others: 'This link is for another account',
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
    return html`${formError(errors)}
      <p>Confirm that ${email ? html`<strong>${email}</strong>` : 'this'} is your email address.</p>
      <form method="post" action="/verify">
        ${hidden('token', token ?? '')}
        ${password && passwordField({ label: 'The password you signed up with', error: errors?.fields?.password })}
        <div class="actions"><button type="submit" class="primary">Confirm email</button></div>
      </form>`;
  }
  if (state === 'others')
    return html`<p>Sign out, sign in to the account that asked for it, and open the link again.</p>
      <form method="post" action="/sign-out">
        <div class="actions"><button type="submit" class="primary">Sign out</button></div>
      </form>`;
  if (state === 'invalid' && frame.user !== null) {
    return html`<p>It was already used or is too old. Your account page shows the confirmed address.</p>
      <p class="actions"><a class="button primary" href="/account">Your account</a></p>`;
  }
  // Nothing waits for it any more, so there is nothing to send again.
  if (state === 'invalid') {
    return html`<p>
        It was already used or is too old. If your address is confirmed, sign in; otherwise, sign up again.
      </p>
      <p class="actions">
        <a class="button primary" href="/sign-in">Sign in</a> <a href="/sign-up">Sign up again</a>
      </p>`;
  }
  const sent = html`<p>
      We’ve sent a confirmation link to ${email ? html`<strong>${email}</strong>` : 'you'}.
    </p>
    ${mailboxNotice(frame)}`;
  return html`${formError(errors) ?? sent}
    <form method="post" action="/verify/again">
      ${emailField({ value: email ?? '', error: errors?.fields?.email })}
      <div class="actions"><button type="submit">Resend the link</button></div>
    </form>`;
}
