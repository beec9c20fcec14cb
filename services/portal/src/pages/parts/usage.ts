import { html, type Html } from '../html.ts';
import { count, day } from './format.ts';
import type { PlanOffer } from './plans.ts';

/** A project's usage this month, in requests. */
export interface UsageModel {
  readonly used: number;
  readonly limit: number;
  readonly remaining: number;
  /** The first second of next month, UTC. */
  readonly resetsAt: Date;
  readonly ordersReceived: number;
  /** One entry per day, from the first of the month to today: `date` is YYYY-MM-DD. */
  readonly daily: readonly { readonly date: string; readonly requests: number }[];
}

/** The month against its limit, a chart of its days, and the same numbers as a table. */
export function usagePart(usage: UsageModel | null, plan: PlanOffer): Html {
  return html`<div data-usage>
    ${usage ? figures(usage, plan) : html`<p class="empty">Usage is unavailable right now. Reload in a minute.</p>`}
  </div>`;
}

function figures(usage: UsageModel, plan: PlanOffer): Html {
  const { used, limit, remaining, resetsAt, ordersReceived } = usage;
  const share = limit === 0 ? 100 : Math.floor((used / limit) * 100);
  return html`<div class="month">
      <p class="lead">
        <span class="figure" data-usage-used>${count(used)}</span> of
        <span class="figure" data-usage-limit>${count(limit)}</span> requests this month
      </p>
      <dl class="facts">
        ${fact('Remaining', html`<span class="figure">${count(remaining)}</span>`)}
        ${fact('Resets on', day(resetsAt))}
        ${plan.rate !== null && fact('Per second', html`<span class="figure">${count(plan.rate)}</span>`)}
        ${fact('Page size', html`<span class="figure">${count(plan.maxPageSize)}</span>`)}
        ${fact('Orders received', html`<span class="figure">${count(ordersReceived)}</span>`)}
      </dl>
    </div>
    <meter
      class="unseen"
      aria-label="Requests used of this month’s limit"
      min="0"
      max="${limit}"
      value="${Math.min(used, limit)}"
    >
      ${share} %
    </meter>
    <svg class="gauge" data-state="${share >= 90 ? 'high' : 'fine'}" aria-hidden="true" focusable="false">
      <rect width="${used === 0 ? 0 : Math.max(0.4, Math.min(share, 100))}%" height="100%" />
    </svg>
    ${
      remaining === 0 &&
      html`<p class="notice bad">
        Monthly limit reached. Requests return 429 until ${day(resetsAt)}. For a higher limit, contact your
        operator.
      </p>`
    }
    ${used > 0 && dayBars(usage)} ${dayTable(usage)}`;
}

function fact(title: string, value: Html): Html {
  return html`<div>
    <dt>${title}</dt>
    <dd>${value}</dd>
  </div>`;
}

const HEIGHT = 96;

/** A bar a day; days to come keep their place. The table has the same numbers. */
function dayBars({ daily, resetsAt }: UsageModel): Html {
  const days = new Date(resetsAt.getTime() - 1).getUTCDate();
  const top = Math.max(4, ...daily.map(({ requests }) => requests));
  return html`<figure class="days" aria-hidden="true">
    <svg viewBox="0 0 ${days} ${HEIGHT}" preserveAspectRatio="none" focusable="false">
      ${daily.map(({ requests }, i) => {
        const height = requests === 0 ? 0 : Math.max(1.5, (requests / top) * HEIGHT);
        return html`<rect x="${i + 0.16}" y="${HEIGHT - height}" width="0.68" height="${height}" />`;
      })}
      <path d="M0 ${HEIGHT - 0.5}H${days}" />
    </svg>
    <figcaption>
      <span>1</span
      ><span>Requests by day; the highest, ${count(Math.max(...daily.map(({ requests }) => requests)))}</span
      ><span>${days}</span>
    </figcaption>
  </figure>`;
}

function dayTable({ daily }: UsageModel): Html {
  return html`<details class="numbers">
    <summary>View as table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Requests by day">
      <table data-usage-table>
        <caption>
          Requests by day, UTC
        </caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col" class="number">Requests</th>
          </tr>
        </thead>
        <tbody>
          ${daily.map(
            ({ date, requests }) =>
              html`<tr>
                <th scope="row"><time datetime="${date}">${date}</time></th>
                <td class="number figure" data-requests="${requests}">${count(requests)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
