import { html, type Html } from '../html.ts';

/** The errors of a form: for single fields, or for the form as a whole. */
export interface FormErrors {
  readonly form?: string | undefined;
  readonly fields?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A single-line field. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'datetime-local' | 'date';
  readonly value?: string;
  readonly hint?: string | undefined;
  /** See the HTML standard, "autofill". */
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly error?: string | undefined;
  /** A whole number, typed on a numeric keyboard. */
  readonly numeric?: boolean;
  readonly readOnly?: boolean;
  readonly autofocus?: boolean;
  /** Needed if another form of the page has a field of the same name. */
  readonly id?: string;
}

/** A label, its field, its hint and its error, linked for screen readers. */
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
      ${f.readOnly && html`readonly`}
      ${(f.autofocus || f.error) && html`autofocus`}
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

/** A choice among all, which is the empty value, and some. @param choices titles by value @param all the title of the empty one */
export function choice(
  name: string,
  label: string,
  choices: Readonly<Record<string, string>>,
  chosen: string | undefined,
  all = 'All',
): Html {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      <option value="">${all}</option>
      ${Object.entries(choices).map(
        ([value, title]) =>
          html`<option value="${value}" ${value === chosen && html`selected`}>${title}</option>`,
      )}
    </select>
  </div>`;
}

/**
 * The errors. The first field of these has the focus; if none is to blame, the error itself, which may be far down its page.
 * @param ids where they differ from names
 */
export function formError(
  errors: FormErrors | undefined,
  ids: Readonly<Record<string, string>> = {},
): Html | null {
  if (errors?.form)
    return html`<p class="notice bad" role="alert" tabindex="-1" autofocus>${errors.form}</p>`;
  const wrong = Object.entries(errors?.fields ?? {}).filter(([, text]) => text);
  if (wrong.length === 0) return null;
  return html`<div class="notice bad" role="alert">
    <p>${wrong.length === 1 ? 'Please fix one field:' : `Please fix ${wrong.length} fields:`}</p>
    <ul>
      ${wrong.map(([name, text]) => html`<li><a href="#${ids[name] ?? name}">${text}</a></li>`)}
    </ul>
  </div>`;
}

/** A message about the last action, or the next step. */
export function notice(text: string | null | undefined): Html | null {
  return text ? html`<p class="notice good" role="status">${text}</p>` : null;
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}
