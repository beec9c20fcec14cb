import { html, type Html } from '../html.ts';
import { count } from './format.ts';

/** A plan as it is offered. */
export interface PlanOffer {
  readonly name: string;
  readonly title: string;
  /** Requests a month; null: agreed with each customer. */
  readonly monthlyLimit: number | null;
  /** Requests a second; null: agreed with each customer. */
  readonly rate: number | null;
  readonly maxPageSize: number;
}

/** The plan at hand among those that are offered. */
export function planSection(current: PlanOffer, plans: readonly PlanOffer[]): Html {
  return html`<section aria-labelledby="plan-title" class="plan">
    <h2 id="plan-title">Plan</h2>
    <p>
      This project is on <strong data-plan>${current.title}</strong>. Another plan counts at once; the
      operator sets it.
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
          <th scope="col" class="number">Requests a month</th>
          <th scope="col" class="number">A second</th>
          <th scope="col" class="number">Page size</th>
        </tr>
      </thead>
      <tbody>
        ${plans.map(
          (plan) =>
            html`<tr ${plan.name === current && html`class="current" aria-current="true"`}>
              <th scope="row">${plan.title}</th>
              <td class="number figure">
                ${plan.monthlyLimit === null ? 'as agreed' : count(plan.monthlyLimit)}
              </td>
              <td class="number figure">${plan.rate === null ? 'as agreed' : count(plan.rate)}</td>
              <td class="number figure">${count(plan.maxPageSize)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
