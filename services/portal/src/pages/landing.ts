import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { count } from './parts/format.ts';
import type { PlanOffer } from './parts/plans.ts';

export interface LandingModel {
  readonly frame: Frame;
  /** The gateway's public base URL, without a slash at its end. */
  readonly apiUrl: string;
  /** The public demo key; null where there is none yet. */
  readonly demoKey: string | null;
  /** A path that the chain at hand answers, such as /v1/eth-mainnet/balance/single?…; and the question in words. */
  readonly example: { readonly says: string; readonly path: string };
  readonly plans: readonly PlanOffer[];
}

/** GET /. */
export function landingPage({ frame, apiUrl, demoKey, example, plans }: LandingModel): string {
  return layout(
    frame,
    { title: 'Ethereum’s past, one call away', modules: ['copy'], width: 'wide' },
    html`<h1>What was it then?</h1>
      <p class="lead">
        What a wallet held and what a spender could spend, at any block or date. Exact to the unit.
      </p>
      <p class="actions">
        <a class="button primary" href="/demo">See it drawn</a>
        <a class="button" href="/sign-up">Get a key</a>
      </p>
      <section aria-labelledby="one-call">
        <h2 id="one-call">${example.says}</h2>
        <pre
          tabindex="0"
        ><code>curl${demoKey && html` -H 'x-api-key: ${demoKey}'`} '${apiUrl}${example.path}'</code></pre>
      </section>
      <section aria-labelledby="plans">
        <h2 id="plans">Plans</h2>
        <ul>
          ${plans.map(
            ({ title, monthlyLimit, rate }) =>
              html`<li>
                ${title}: ${monthlyLimit === null ? 'as agreed' : `${count(monthlyLimit)} requests a month`},
                ${rate === null ? 'as agreed' : `${count(rate)} a second`}
              </li>`,
          )}
        </ul>
      </section>`,
  );
}
