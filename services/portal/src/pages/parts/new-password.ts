import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../domain/password.ts';
import type { Html } from '../html.ts';
import { field } from './form.ts';

interface NewPassword {
  readonly label: string;
  readonly error: string | undefined;
  /** What else there is to know, after the length. */
  readonly hint?: string;
}

const ADVICE = 'A few unrelated words are better than one odd one.';

/** The field `password` of a form in which one is chosen. */
export function newPasswordField({ label, error, hint = ADVICE }: NewPassword): Html {
  return field({
    ...{ name: 'password', label, type: 'password', error, autocomplete: 'new-password', required: true },
    ...{ minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH },
    hint: `At least ${MIN_PASSWORD_LENGTH} characters. ${hint}`,
  });
}
