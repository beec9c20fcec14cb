import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';

/** What GET /reference shows. */
export interface ReferenceModel {
  /** Filled in where a key is needed; null if there is none. */
  readonly demoKey: string | null;
}

/** GET /reference: Scalar over /openapi.json, started by public/reference.js. */
export function referencePage(frame: Frame, { demoKey }: ReferenceModel): string {
  return layout(
    frame,
    {
      title: 'API reference',
      modules: ['reference'],
      styles: ['reference'],
      width: 'bare',
      description: 'Every endpoint of the API, with real answers and a demo key to try them.',
    },
    html`<h1 class="reference-title">API reference</h1>
      <div id="reference" data-demo-key="${demoKey ?? ''}">
        <p class="hint" role="status">Loading…</p>
        <noscript
          ><p>
            The reference needs JavaScript. Without it, read the
            <a href="/openapi.json">OpenAPI document</a>.
          </p></noscript
        >
      </div>`,
  );
}
