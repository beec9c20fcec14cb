import { limitsOf, type Limits, type Project } from '@hindsight/projects/project.ts';
import type { UsageReport } from '@hindsight/usage/describe.ts';
import { html, type Html } from '../html.ts';
import { facts } from './facts.ts';
import { count, day } from './format.ts';
import { planPart } from './plans.ts';
import { scrollTable } from './table.ts';

type Daily = UsageReport['daily'];

/**
 * The month against its limit, a chart of its days, the same numbers as a table, and the plan among the
 * others.
 */
export function usagePart(usage: UsageReport | null, project: Project): Html {
  return html`<div data-usage>
    ${usage ? figures(usage, limitsOf(project)) : unavailable('Usage is')}
    <div class="folds">${planPart(project)} ${usage && dayTable(usage.daily)}</div>
  </div>`;
}

/** In place of a part that cannot be read. @param whatIs its name and verb: `Usage is` */
export function unavailable(whatIs: string): Html {
  return html`<p class="empty">${whatIs} unavailable right now. Reload in a minute.</p>`;
}

function figures({ requests, period, orders, daily }: UsageReport, { rate, maxPageSize }: Limits): Html {
  const { used, limit, remaining } = requests;
  const figure = (value: number): Html => html`<span class="figure">${count(value)}</span>`;
  const share = limit === 0 ? 100 : Math.floor((used / limit) * 100);
  return html`<div class="month">
      <p class="lead">
        <span class="figure" data-usage-used>${count(used)}</span> of
        <span class="figure" data-usage-limit>${count(limit)}</span> units this month
      </p>
      ${facts({
        Remaining: figure(remaining),
        'Resets on': day(period.end),
        'Per second': figure(rate),
        'Page size': figure(maxPageSize),
        'Orders received': figure(orders.received),
      })}
    </div>
    <meter
      class="unseen"
      aria-label="Units used of this month’s limit"
      min="0"
      max="${limit}"
      value="${Math.min(used, limit)}"
    >
      ${share}%
    </meter>
    ${gauge(used === 0 ? 0 : Math.max(0.4, Math.min(share, 100)), share >= 90)}
    ${
      remaining === 0 &&
      html`<p class="notice bad">
        Monthly limit reached. Requests return 429 until ${day(period.end)}. For a higher limit, contact your
        operator.
      </p>`
    }
    ${used > 0 && dayBars(daily)}`;
}

function gauge(percent: number, isHigh = false): Html {
  return html`<svg
    class="gauge"
    data-state="${isHigh ? 'high' : 'fine'}"
    aria-hidden="true"
    focusable="false"
  >
    <rect width="${percent}%" height="100%" />
  </svg>`;
}

const HEIGHT = 96;

/** A bar a day; days to come keep their place. The table has the same numbers. */
export function dayBars(daily: Daily): Html {
  const [year = 0, month = 0] = daily[0]?.date.split('-').map(Number) ?? [];
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const most = Math.max(...daily.map(({ requests }) => requests));
  return html`<figure class="days" aria-hidden="true">
    <svg viewBox="0 0 ${days} ${HEIGHT}" preserveAspectRatio="none" focusable="false">
      ${daily.map(({ requests }, i) => {
        const height = requests === 0 ? 0 : Math.max(1.5, (requests / Math.max(4, most)) * HEIGHT);
        return html`<rect x="${i + 0.16}" y="${HEIGHT - height}" width="0.68" height="${height}" />`;
      })}
      <path d="M0 ${HEIGHT - 0.5}H${days}" />
    </svg>
    <figcaption>
      <span>1</span><span>Units per day (peak ${count(most)})</span><span>${days}</span>
    </figcaption>
  </figure>`;
}

/** The numbers of a chart of days, folded. */
export function dayTable(daily: Daily): Html {
  return html`<details>
    <summary>View as table</summary>
    ${requestsTable({
      label: 'Units per day, UTC',
      head: 'Day',
      rows: daily.map(({ date, requests }) => ({
        name: html`<time datetime="${date}">${date}</time>`,
        requests,
      })),
    })}
  </details>`;
}

interface Table {
  readonly label: string;
  readonly head: string;
  readonly rows: readonly { readonly name: string | Html; readonly requests: number }[];
  /** Each row has a bar, which is full at this number. */
  readonly most?: number;
}

/** Units by something. */
export function requestsTable({ label, head, rows, most }: Table): Html {
  return scrollTable({
    label,
    hasCaption: most === undefined,
    columns: [head, { number: 'Units' }, ...(most === undefined ? [] : [''])],
    rows: rows.map(
      ({ name, requests }) =>
        html`<tr>
          <th scope="row">${name}</th>
          <td class="number figure" data-requests="${requests}">${count(requests)}</td>
          ${most !== undefined && html`<td>${gauge(shareOf(requests, most))}</td>`}
        </tr>`,
    ),
  });
}

/** In per cent, to a tenth. */
function shareOf(requests: number, most: number): number {
  return most === 0 ? 0 : Math.min(100, Math.round((requests / most) * 1_000) / 10);
}
