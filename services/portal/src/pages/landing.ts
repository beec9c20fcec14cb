import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { stepsFigure } from './parts/figure.ts';
import { planTable, type PlanOffer } from './parts/plan-section.ts';

/** What GET / shows. */
export interface LandingModel {
  /** The gateway's public base URL, without a slash at its end. */
  readonly apiUrl: string;
  /** The public demo key. */
  readonly demoKey: string;
  /** A path that the chain at hand answers, such as /v1/eth-mainnet/balance/single?…; and the question in words. */
  readonly example: { readonly says: string; readonly path: string };
  readonly plans: readonly PlanOffer[];
}

/** GET /. */
export function landingPage(frame: Frame, model: LandingModel): string {
  return layout(
    frame,
    { title: 'Ethereum’s past, one call away', modules: ['copy'], styles: ['landing'], width: 'wide' },
    html`<h1>What was it then?</h1>
      <p class="lead">
        What a wallet held, what a spender could spend: at any block, on any date, exact to the unit. One HTTP
        call to your own node’s memory.
      </p>
      <p class="actions">
        <a class="button primary" href="/demo">See it drawn, live</a>
        <a class="button" href="/sign-up">Get a key</a>
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
    <p>${example.says} The demo key is open to everybody; this line works as it stands.</p>
    <div class="code">
      <pre tabindex="0" aria-label="A call as a curl line"><code id="example">${line}</code></pre>
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
        'Every answer names its block by number, hash and time, and says whether it is final. What cannot be answered for that block is an error, never a silent “latest”.',
      )}
      ${promise(
        'Exact',
        'Amounts are whole numbers of the smallest unit, written as strings. Names and symbols are those of that height, for tokens renamed or upgraded since as well.',
      )}
      ${promise(
        'Counted fairly',
        'A request counts when it was answered. Refusals, repeats that have not changed and our own faults do not. The limit is exact, and never passed by one.',
      )}
      ${promise(
        'Yours',
        'It runs on your machines, beside your node. No page asks anybody else for anything, and keys are stored encrypted.',
      )}
    </dl>
  </section>`;
}
