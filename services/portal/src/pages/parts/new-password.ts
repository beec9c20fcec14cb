import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../domain/password.ts';
import type { Html } from '../html.ts';
import { field } from './form.ts';

interface NewPassword {
  readonly label: string;
  readonly error: string | undefined;
  /** Shown after the length. */
  readonly hint?: string;
}

const ADVICE = 'A few unrelated words beat one complicated one.';

/** The field `password` of a form that sets one. */
export function newPasswordField({ label, error, hint = ADVICE }: NewPassword): Html {
  return field({
    name: 'password',
    label,
    type: 'password',
    error,
    autocomplete: 'new-password',
    required: true,
    minLength: MIN_PASSWORD_LENGTH,
    maxLength: MAX_PASSWORD_LENGTH,
    hint: `At least ${MIN_PASSWORD_LENGTH} characters. ${hint}`,
  });
}
