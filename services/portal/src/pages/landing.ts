import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { stepsFigure } from './parts/figure.ts';
import { planTable, type PlanOffer } from './parts/plans.ts';

/** What GET / shows. */
export interface LandingModel {
  /** The gateway's public base URL, without a slash at its end. */
  readonly apiUrl: string;
  /** The public demo key. */
  readonly demoKey: string;
  /** A path that the connected chain answers, such as /v1/eth-mainnet/balance/single?…, and the question in words. */
  readonly example: { readonly says: string; readonly path: string };
  readonly plans: readonly PlanOffer[];
}

/** GET /. */
export function landingPage(frame: Frame, model: LandingModel): string {
  return layout(
    frame,
    { title: 'Ethereum’s past, one call away', modules: ['copy'], styles: ['landing'], width: 'wide' },
    html`<h1>Any Ethereum balance, at any block.</h1>
      <p class="lead">
        See what any wallet held, or any spender was allowed to spend, at any block or date. Exact to the last
        wei. One HTTP call, on your own node.
      </p>
      <p class="actions">
        <a class="button primary" href="/demo">Try the live demo</a>
        ${frame.user ? html`<a class="button" href="/dashboard">Dashboard</a>` : html`<a class="button" href="/sign-up">Get an API key</a>`}
      </p>
      ${stepsFigure()} ${callSection(model)} ${promises()}
      <section aria-labelledby="plans-title">
        <h2 id="plans-title">Plans</h2>
        ${planTable(model.plans, null)}
      </section>`,
  );
}

function callSection({ apiUrl, demoKey, example }: LandingModel): Html {
  const line = `curl -H 'x-api-key: ${demoKey}' '${apiUrl}${example.path}'`;
  return html`<section aria-labelledby="call-title">
    <h2 id="call-title">One call</h2>
    <p>${example.says} This uses the public demo key. Copy, paste, run.</p>
    <div class="code">
      <pre tabindex="0" role="group" aria-label="A request with curl"><code id="example">${line}</code></pre>
      <button type="button" class="quiet" data-copy="example">Copy</button>
    </div>
  </section>`;
}

function promises(): Html {
  const promise = (title: string, text: string) =>
    html`<div>
      <dt>${title}</dt>
      <dd>${text}</dd>
    </div>`;
  return html`<section aria-labelledby="promises-title">
    <h2 id="promises-title">What you can rely on</h2>
    <dl class="promises">
      ${promise(
        'Pinned',
        'Every answer names its block by number, hash and time, and says whether it is final. If a block cannot be answered for, you get an error, never a silent “latest”.',
      )}
      ${promise(
        'Exact',
        'Amounts are whole numbers of the smallest unit, written as strings. Token names and symbols are as they were at that block, even if the token was later renamed or upgraded.',
      )}
      ${promise(
        'Counted fairly',
        'Every request that a service answers counts, even with 400 or 404. Not counted: 304, 401, 403, 429 and 5xx. Limits are exact: never one request over.',
      )}
      ${promise(
        'Yours',
        'It runs on your machines, next to your node. Pages make no third-party requests, and keys are stored encrypted.',
      )}
    </dl>
  </section>`;
}
