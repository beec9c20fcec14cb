import { html, type Html } from '../html.ts';

/** A column's title. Numbers are on the right. */
type Column = string | Html | { readonly number: string };

interface Table {
  readonly label: string;
  readonly columns: readonly Column[];
  /** None where a script fills the body in. */
  readonly rows?: readonly Html[];
  /** The label is shown above the table too. */
  readonly hasCaption?: boolean;
  /** Of the body, for a script. */
  readonly id?: string;
  readonly className?: string;
}

/** A table that scrolls where it is too large, also by keyboard. */
export function scrollTable({ label, columns, rows = [], hasCaption, id, className }: Table): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">
    <table ${className && html`class="${className}"`}>
      ${
        hasCaption &&
        html`<caption>
          ${label}
        </caption>`
      }
      <thead>
        <tr>
          ${columns.map(heading)}
        </tr>
      </thead>
      <tbody ${id && html`id="${id}"`}>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function heading(column: Column): Html {
  if (column === '') return html`<td></td>`;
  return typeof column === 'object' && 'number' in column
    ? html`<th scope="col" class="number">${column.number}</th>`
    : html`<th scope="col">${column}</th>`;
}
