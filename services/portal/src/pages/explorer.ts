import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';

/**
 * GET /reference/explorer: Scalar over /openapi.json, started by public/reference.js, which fills in the key;
 * public/reference-names.js mends its markup.
 */
export function explorerPage(frame: Frame, demoKey: string): string {
  return layout(
    frame,
    {
      title: 'API explorer',
      modules: ['reference', 'reference-names'],
      styles: ['reference'],
      width: 'bare',
      description: 'Try every endpoint of the API with a demo key.',
    },
    // Scalar replaces all of it: it has a main landmark and a heading of its own.
    html`<div id="reference" data-demo-key="${demoKey}">
      <main>
        <h1 class="unseen">API explorer</h1>
        <p class="hint" role="status">
          Loading 1.2 MB… The <a href="/reference">reference</a> is quicker to read.
        </p>
        <noscript
          ><p>
            The explorer needs JavaScript. Without it, read the
            <a href="/reference">reference</a>.
          </p></noscript
        >
      </main>
    </div>`,
  );
}
