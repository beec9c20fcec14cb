import { html, type Html } from '../html.ts';
import { field, formError, type FormErrors } from './form.ts';

/** A key's terms as typed. */
export interface KeyFormValues {
  readonly name: string;
  readonly scopes: readonly string[];
  /** One a line. */
  readonly addresses: string;
  readonly origins: string;
  /** The last day, as 2026-12-31; empty for none. */
  readonly lastDay: string;
  readonly cap: string;
}

const SCOPES = [
  { name: 'read', label: 'Read', about: 'balances, tokens and all other data' },
  { name: 'webhook', label: 'Webhook', about: 'send signed orders' },
  { name: 'usage', label: 'Usage', about: 'read this project’s usage' },
] as const;

export function keyFields(values: KeyFormValues, errors: FormErrors | undefined): Html {
  return html`${formError(errors)}
    ${field({ name: 'name', label: 'Name', value: values.name, required: true, maxLength: 100 })}
    <fieldset class="field">
      <legend>Scopes</legend>
      ${SCOPES.map(
        ({ name, label, about }) =>
          html`<label class="choice">
            <input
              type="checkbox"
              name="scope-${name}"
              value="yes"
              ${values.scopes.includes(name) && html`checked`}
            />
            <span>${label}: ${about}</span>
          </label>`,
      )}
    </fieldset>
    ${area('addresses', 'Allowed IP addresses', values.addresses, 'Addresses or CIDR ranges, one per line. Leave empty to allow any.')}
    ${area('origins', 'Allowed origins', values.origins, 'Web pages that may use the key, such as https://app.example.com, one per line. Leave empty to allow any client.')}
    ${field({
      id: 'last-day',
      name: 'lastDay',
      label: 'Last day',
      type: 'date',
      value: values.lastDay,
      hint: 'The key expires at the end of this day (UTC). Leave empty for no expiry.',
    })}
    ${field({
      name: 'cap',
      label: 'Monthly cap',
      value: values.cap,
      numeric: true,
      hint: 'Units per month for this key, counted from the moment you set it. Leave empty for no cap.',
    })}`;
}

function area(name: string, label: string, value: string, hint: string): Html {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <p class="hint" id="${name}-hint">${hint}</p>
    <textarea id="${name}" name="${name}" rows="2" spellcheck="false" aria-describedby="${name}-hint">
${value}</textarea>
  </div>`;
}
