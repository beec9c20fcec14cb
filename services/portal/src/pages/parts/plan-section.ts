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

/** The project's plan among those on offer. */
export function planSection(current: PlanOffer, plans: readonly PlanOffer[]): Html {
  return html`<section aria-labelledby="plan-title" class="plan">
    <h2 id="plan-title">Plan</h2>
    <p>
      This project is on the <strong data-plan>${current.title}</strong> plan. To change plans, contact your
      operator. Changes apply immediately.
    </p>
    ${planTable(plans, current.name)}
  </section>`;
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
