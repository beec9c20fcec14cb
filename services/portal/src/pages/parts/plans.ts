import { html, type Html } from '../html.ts';
import { count } from './format.ts';
import { scrollTable } from './table.ts';

/** A plan as it is offered. */
export interface PlanOffer {
  readonly name: string;
  readonly title: string;
  /** Requests per month; null: agreed with each customer. */
  readonly monthlyLimit: number | null;
  /** Requests per second; null: agreed with each customer. */
  readonly rate: number | null;
  readonly maxPageSize: number;
}

/** The project's plan, and the others to compare it with. */
export function planPart(current: PlanOffer, plans: readonly PlanOffer[]): Html {
  return html`<details>
    <summary>Plan: <strong data-plan>${current.title}</strong>. Compare plans</summary>
    ${planTable(plans, current.name)}
    <p>To change plans, contact your operator. Changes apply immediately.</p>
  </details>`;
}

/** All plans and their limits. */
export function planTable(plans: readonly PlanOffer[], current: string | null): Html {
  return scrollTable({
    label: 'Plans and their limits',
    className: 'plans',
    columns: [
      'Plan',
      ...['Requests per month', 'Requests per second', 'Max page size'].map((number) => ({ number })),
    ],
    rows: plans.map(
      ({ name, title, monthlyLimit, rate, maxPageSize }) =>
        html`<tr ${name === current && html`class="current" aria-current="true"`}>
          <th scope="row">${title}</th>
          ${[monthlyLimit, rate, maxPageSize].map(
            (limit) => html`<td class="number figure">${limit === null ? 'Custom' : count(limit)}</td>`,
          )}
        </tr>`,
    ),
  });
}
