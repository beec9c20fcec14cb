import { html, type Html } from '../html.ts';
import { count } from './format.ts';

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
  return html`<details class="plan">
    <summary>Plan: <strong data-plan>${current.title}</strong>. Compare plans</summary>
    ${planTable(plans, current.name)}
    <p>To change plans, contact your operator. Changes apply immediately.</p>
  </details>`;
}

/** All plans and their limits. */
export function planTable(plans: readonly PlanOffer[], current: string | null): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Plans and their limits">
    <table class="plans">
      <thead>
        <tr>
          <th scope="col">Plan</th>
          <th scope="col" class="number">Requests per month</th>
          <th scope="col" class="number">Requests per second</th>
          <th scope="col" class="number">Max page size</th>
        </tr>
      </thead>
      <tbody>
        ${plans.map(
          (plan) =>
            html`<tr ${plan.name === current && html`class="current" aria-current="true"`}>
              <th scope="row">${plan.title}</th>
              <td class="number figure">
                ${plan.monthlyLimit === null ? 'Custom' : count(plan.monthlyLimit)}
              </td>
              <td class="number figure">${plan.rate === null ? 'Custom' : count(plan.rate)}</td>
              <td class="number figure">${count(plan.maxPageSize)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
