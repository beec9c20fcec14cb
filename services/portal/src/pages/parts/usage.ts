import { html, type Html } from '../html.ts';
import { count, day } from './format.ts';

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

/**
 * Usage: the month against its limit, a chart of the days (public/usage.js) and the same numbers as a table.
 * @param firstCall shown instead of the chart while there are no requests
 */
export function usageSection(usage: UsageModel | null, firstCall: Html): Html {
  return html`<section aria-labelledby="usage-title" class="usage">
    <h2 id="usage-title">Usage</h2>
    ${usage ? figures(usage, firstCall) : html`<p class="empty">Usage is unavailable right now. Reload in a minute.</p>`}
  </section>`;
}

function figures(usage: UsageModel, firstCall: Html): Html {
  const { used, limit, remaining, resetsAt, ordersReceived } = usage;
  const share = limit === 0 ? 100 : Math.floor((used / limit) * 100);
  return html`<p class="lead">
      <span class="figure" data-usage-used>${count(used)}</span> of
      <span class="figure" data-usage-limit>${count(limit)}</span> requests this month
    </p>
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
      <rect width="${Math.min(share, 100)}%" height="100%" />
    </svg>
    ${
      remaining === 0 &&
      html`<p class="notice bad">
        Monthly limit reached. Requests return 429 until ${day(resetsAt)}. For a higher limit, contact your
        operator.
      </p>`
    }
    <dl class="facts">
      <div>
        <dt>Remaining</dt>
        <dd class="figure">${count(remaining)}</dd>
      </div>
      <div>
        <dt>Resets on</dt>
        <dd>${day(resetsAt)}</dd>
      </div>
      <div>
        <dt>Orders received</dt>
        <dd class="figure">${count(ordersReceived)}</dd>
      </div>
    </dl>
    ${used === 0 ? firstCall : html`<div class="chart" data-usage-chart aria-hidden="true"></div>`}
    ${dayTable(usage)}`;
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
