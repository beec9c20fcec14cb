import { limitsOf, PLANS, type Project } from '@hindsight/projects/project.ts';
import { html, type Html } from '../html.ts';
import { count } from './format.ts';
import { scrollTable } from './table.ts';

/** The project's plan, and the others to compare it with. */
export function planPart(project: Project): Html {
  return html`<details>
    <summary>Plan: <strong data-plan>${PLANS[project.plan].title}</strong>. Compare plans</summary>
    ${planTable(project)}
    <p>To change plans, contact your operator. Changes apply immediately.</p>
  </details>`;
}

/** All plans and their limits. @param project its plan is marked, with the limits that it has */
export function planTable(project?: Project): Html {
  return scrollTable({
    label: 'Plans and their limits',
    className: 'plans',
    columns: [
      'Plan',
      ...['Units per month', 'Requests per second', 'Max page size'].map((number) => ({ number })),
    ],
    rows: Object.entries(PLANS).map(([name, plan]) => {
      const current = project?.plan === name ? project : undefined;
      const { monthlyLimit, rate, maxPageSize } = current ? limitsOf(current) : plan;
      return html`<tr ${current && html`class="current" aria-current="true"`}>
        <th scope="row">${plan.title}</th>
        ${[monthlyLimit, rate, maxPageSize].map(
          (limit) => html`<td class="number figure">${limit === null ? 'Custom' : count(limit)}</td>`,
        )}
      </tr>`;
    }),
  });
}
