import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { calls } from './parts/calls.ts';
import { codeBox } from './parts/code-box.ts';
import { facts } from './parts/facts.ts';
import { stepsFigure } from './parts/figure.ts';
import { planTable } from './parts/plans.ts';
import type { Showcase } from './showcase.ts';

interface LandingModel extends Showcase {
  /** The answer to the example, as JSON; null until the gateway answers. */
  readonly answer: string | null;
}

export function landingPage(frame: Frame, model: LandingModel): string {
  return layout(
    frame,
    { title: 'Any Ethereum balance, at any block', modules: ['copy'], styles: ['landing'], width: 'wide' },
    html`<h1>Any Ethereum balance, at any block.</h1>
      <p class="lead">
        See what any wallet held, or any spender was allowed to spend, at any block or date. Exact to the last
        wei. One HTTP call, on your own node.
      </p>
      <p class="actions">
        ${
          frame.user
            ? html`<a class="button primary" href="/dashboard">Dashboard</a>`
            : html`<a class="button primary" href="/sign-up">Get an API key</a>`
        }
        <a class="button" href="/demo">Try the live demo</a>
      </p>
      ${stepsFigure()} ${callSection(model)} ${jobs()} ${promises()} ${selfHost()}
      <section aria-labelledby="plans-title">
        <h2 id="plans-title">Plans</h2>
        <p>Limits, not prices: the operator of this server sets them for each project.</p>
        ${planTable()}
      </section>`,
  );
}

function callSection({ apiUrl, demoKey, example, answer }: LandingModel): Html {
  return html`<section aria-labelledby="call-title">
    <h2 id="call-title">One call</h2>
    <p><strong>${example.says}</strong> With the public demo key: copy, paste, run.</p>
    ${calls({ id: 'example', url: apiUrl + example.path, key: demoKey })}
    ${
      answer !== null &&
      html`<p class="meta">The answer</p>
        <pre tabindex="0" role="group" aria-label="The answer as JSON"><code>${answer}</code></pre>`
    }
    <p>
      Every endpoint is in the <a href="/reference">reference</a>; the
      <a href="/docs/quickstart">quickstart</a>
      takes a minute.
    </p>
  </section>`;
}

function jobs(): Html {
  const job = (title: string, text: string, href: string, link: string) =>
    html`<li>
      <h3>${title}</h3>
      <p>${text}</p>
      <p><a href="${href}">${link}</a></p>
    </li>`;
  return html`<section aria-labelledby="jobs-title">
    <h2 id="jobs-title">What it’s for</h2>
    <ul class="three">
      ${job('Snapshots', 'The balances of a million holders at one block, for an airdrop or a vote.', '/docs/snapshot', 'Take a snapshot')}
      ${job('Reports', 'A balance over a year, day by day, for taxes, books and charts.', '/docs/series', 'Track a balance')}
      ${job('Audits', 'What a wallet held on a date, and who could spend it then.', '/wallet', 'Look at a wallet')}
    </ul>
  </section>`;
}

function selfHost(): Html {
  return html`<section aria-labelledby="host-title">
    <h2 id="host-title">Self-host it</h2>
    <p>
      Two commands in a clone of the repository. It comes with a small chain that has a history, so you can
      try everything.
    </p>
    ${codeBox({ id: 'host', label: 'Two commands', text: 'npm ci\nnpm start' })}
    <p>
      With your own archive node: <code>ETH_RPC_URL=https://… npm start</code>. To serve it on the internet,
      <a href="/docs/https">put it behind HTTPS</a>.
    </p>
  </section>`;
}

function promises(): Html {
  return html`<section aria-labelledby="promises-title">
    <h2 id="promises-title">What you can rely on</h2>
    ${facts(
      {
        Pinned:
          'Every answer names its block by number, hash and time, and says whether it is final. If a block can’t be read, you get an error, never a silent “latest”.',
        Exact:
          'Amounts are whole numbers of the smallest unit, written as strings. Token names and symbols are as they were at that block, even if the token was later renamed or upgraded.',
        'Counted fairly':
          'A request counts once a service has answered it, even with 400 or 404. Not counted: 304, 401, 403, 429 and 5xx. The monthly limit is exact: never one unit over.',
        Yours:
          'It runs on your machines, next to your node. Pages make no third-party requests, and keys are stored encrypted.',
      },
      'promises',
    )}
  </section>`;
}
