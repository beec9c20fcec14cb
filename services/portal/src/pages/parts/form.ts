import { html, type Html } from '../html.ts';

/** What was wrong with a form: for one of its fields, or for the whole of it. */
export interface FormErrors {
  readonly form?: string | undefined;
  readonly fields?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A field that is written in one line. */
interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password';
  readonly value?: string;
  readonly hint?: string | undefined;
  /** See the HTML standard, "autofill". */
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly error?: string | undefined;
  /** A whole number, written with the digits' keyboard. */
  readonly numeric?: boolean;
  /** If another form of the page has a field of the same name. */
  readonly id?: string;
}

/** A label, its field, what helps to fill it and what was wrong, tied together for every reader. */
export function field(f: Field): Html {
  const id = f.id ?? f.name;
  const described = [f.hint && `${id}-hint`, f.error && `${id}-error`].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for="${id}">${f.label}</label>
    ${f.hint && html`<p class="hint" id="${id}-hint">${f.hint}</p>`}
    <input
      id="${id}"
      name="${f.name}"
      type="${f.type ?? 'text'}"
      value="${f.type === 'password' ? '' : (f.value ?? '')}"
      ${f.autocomplete && html`autocomplete="${f.autocomplete}"`}
      ${f.required && html`required`}
      ${f.minLength !== undefined && html`minlength="${f.minLength}"`}
      ${f.maxLength !== undefined && html`maxlength="${f.maxLength}"`}
      ${f.numeric && html`inputmode="numeric" pattern="[0-9]*"`}
      ${described !== '' && html`aria-describedby="${described}"`}
      ${f.error && html`aria-invalid="true"`}
      ${(f.type === 'email' || f.name === 'name') && html`spellcheck="false"`}
    />
    ${f.error && html`<p class="error" id="${id}-error">${f.error}</p>`}
  </div>`;
}

/** What is wrong with the form as a whole, read out at once. */
export function formError(errors: FormErrors | undefined): Html | null {
  if (!errors?.form) return null;
  return html`<p class="notice bad" role="alert">${errors.form}</p>`;
}

/** What has just been done, or what comes next. */
export function notice(text: string | null | undefined): Html | null {
  return text ? html`<p class="notice good" role="status">${text}</p>` : null;
}

/** A value that travels with a form unseen. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}
