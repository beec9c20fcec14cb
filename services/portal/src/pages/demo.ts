import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';

/** A question that is worth seeing. */
export interface DemoQuestion {
  /** In a few words: "treasury.eth, USDC". */
  readonly title: string;
  /** Token address; empty: ether. */
  readonly token: string;
  readonly holder: string;
  /** Where the slider begins; null: the first block there is. */
  readonly from: number | null;
}

export interface DemoModel {
  readonly frame: Frame;
  /** The gateway's public base URL, without a slash at its end. */
  readonly apiUrl: string;
  readonly network: string;
  /** The public demo key; null where there is none yet. */
  readonly demoKey: string | null;
  /** For the development chain and for mainnet; which one it is, is told by the chain's head. */
  readonly questions: {
    readonly devChain: readonly DemoQuestion[];
    readonly mainnet: readonly DemoQuestion[];
  };
}

/** GET /demo: everything on it is asked live from the gateway by public/demo.js. */
export function demoPage({ frame, apiUrl, network, demoKey, questions }: DemoModel): string {
  const settings = JSON.stringify({ apiUrl, network, demoKey, questions });
  return layout(
    frame,
    { title: 'Demo', modules: ['demo', 'copy'], styles: ['uplot'], width: 'wide' },
    html`<h1>Then and now</h1>
      <div id="demo" data-settings="${settings}"></div>
      <noscript><p class="notice">The demo is drawn by JavaScript.</p></noscript>`,
  );
}
