/** The fields of forms that people sign in or up with. */
import { MIN_PASSWORD_LENGTH } from '../../domain/password.ts';
import { html, type Html } from '../html.ts';
import { field, type Field } from './form.ts';

/** Shown by public/theme.js in a browser that refuses cookies: it would come back to the sign-in, without a reason. */
export const WITHOUT_COOKIES = html`<p class="notice bad" role="alert" data-without-cookies hidden>
  Your browser refuses cookies, and signing in needs one. Allow them for this site, then reload the page.
</p>`;

const ADVICE = 'A few unrelated words beat one complicated one.';

/** The field `email`, which browsers fill in as a user's name. */
export function emailField(more: Partial<Field> = {}): Html {
  return field({
    name: 'email',
    label: 'Email',
    type: 'email',
    autocomplete: 'username',
    required: true,
    ...more,
  });
}

/** A password that the reader has. */
export function passwordField(more: Partial<Field>): Html {
  return field({
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    ...more,
  });
}

/** The field `password` of a form that sets one. @param more its hint is shown after the length */
export function newPasswordField({ hint = ADVICE, ...more }: Partial<Field>): Html {
  return passwordField({
    autocomplete: 'new-password',
    minLength: MIN_PASSWORD_LENGTH,
    hint: `At least ${MIN_PASSWORD_LENGTH} characters. ${hint}`,
    ...more,
  });
}
