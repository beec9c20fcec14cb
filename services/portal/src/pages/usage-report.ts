import type { Project } from '@hindsight/projects/project.ts';
import type { ThresholdReached } from '@hindsight/usage/alerts/ports.ts';
import type { UsageReport } from '@hindsight/usage/describe.ts';
import { projectPath } from '../domain/project-path.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { field, formError, type FormErrors } from './parts/form.ts';
import { count, moment } from './parts/format.ts';
import { projectPage } from './parts/project-page.ts';
import { dayBars, dayTable, requestsTable, unavailable } from './parts/usage.ts';

/** Units of a month by something. */
export interface UsageTotals {
  /** In the CSV's address: `endpoint`. */
  readonly by: string;
  /** `Endpoint`. */
  readonly title: string;
  readonly rows: readonly { readonly name: string; readonly requests: number }[];
}

export interface UsageReportModel {
  readonly project: Project;
  /** As 2026-11. */
  readonly month: string;
  /** The latest first, this one among them. */
  readonly months: readonly string[];
  /** Null while usage cannot be read. */
  readonly usage: (UsageReport & { readonly totals: readonly UsageTotals[] }) | null;
  /** In per cent of the limit, as typed: 80, 100. Null while they cannot be read. */
  readonly thresholds: string | null;
  readonly reached: readonly ThresholdReached[];
  readonly notice?: string | undefined;
  readonly errors?: FormErrors | undefined;
}

/** A project's usage by day, endpoint, status and key, and its alerts. */
export function usageReportPage(frame: Frame, model: UsageReportModel): string {
  const { project, usage } = model;
  const path = projectPath(project.id);
  return projectPage(
    frame,
    { project, title: 'Usage', notice: model.notice, width: 'wide' },
    html`${monthList(model, path)} ${usage ? figures(model, usage, path) : unavailable('Usage is')}
    ${alerts(model, path)}`,
  );
}

function monthList({ months, month }: UsageReportModel, path: string): Html {
  return html`<nav class="months" aria-label="Months">
    ${months.map(
      (each) =>
        html`<a href="${path}/usage/report?month=${each}" ${each === month && html`aria-current="page"`}
          >${each}</a
        >`,
    )}
  </nav>`;
}

function figures(
  { month, months }: UsageReportModel,
  { requests: { used, limit }, orders, daily, totals }: NonNullable<UsageReportModel['usage']>,
  path: string,
): Html {
  const csv = (by: string): Html =>
    html`<a href="${path}/usage/report.csv?month=${month}&amp;by=${by}">CSV</a>`;
  return html`<section aria-labelledby="days-title" class="usage">
      <h2 id="days-title">By day</h2>
      <p class="lead">
        <span class="figure">${count(used)}</span>
        ${month === months[0] && html`of <span class="figure">${count(limit)}</span>`} units,
        <span class="figure">${count(orders.received)}</span>
        <a href="${path}/orders">${orders.received === 1 ? 'order' : 'orders'}</a> received. ${csv('day')}
      </p>
      ${used > 0 && dayBars(daily)} ${dayTable(daily)}
    </section>
    ${totals.map(
      ({ by, title, rows }) =>
        html`<section aria-labelledby="${by}-title">
          <h2 id="${by}-title">By ${lower(title)}</h2>
          ${
            rows.length === 0
              ? html`<p class="empty">No usage this month.</p>`
              : html`<p>${csv(by)}</p>
                  ${requestsTable({ label: `Units by ${lower(title)}`, head: title, rows, most: used })}`
          }
        </section>`,
    )}`;
}

/** POST /dashboard/projects/<id>/alerts {thresholds}. */
function alerts({ thresholds, reached, month, errors }: UsageReportModel, path: string): Html {
  return html`<section aria-labelledby="alerts-title">
    <h2 id="alerts-title">Alerts</h2>
    <p>We’ll email you once a month at each threshold, and publish a <code>usage.threshold</code> event.</p>
    ${
      reached.length > 0 &&
      html`<ul>
        ${reached.map(({ threshold, at }) => html`<li>${threshold}% of the ${month} limit reached at ${moment(at)}.</li>`)}
      </ul>`
    }
    ${formError(errors)}
    ${thresholds === null ? unavailable('Alerts are') : alertForm(thresholds, errors, path)}
  </section>`;
}

function alertForm(thresholds: string, errors: FormErrors | undefined, path: string): Html {
  return html`<form method="post" action="${path}/alerts" class="narrow">
    ${field({
      name: 'thresholds',
      label: 'Alert thresholds (% of limit)',
      hint: 'Up to five numbers from 1 to 100, such as 50, 80, 100. Leave it empty for no alerts.',
      value: thresholds,
      maxLength: 60,
      autocomplete: 'off',
      error: errors?.fields?.thresholds,
    })}
    <div class="actions"><button type="submit">Save</button></div>
  </form>`;
}

function lower(title: string): string {
  return title === 'API key' ? title : title.toLowerCase();
}
