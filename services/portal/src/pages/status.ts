import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { count, moment } from './parts/format.ts';

/** A part of the service. */
export interface StatusPart {
  /** As people call it: "Gateway", "Ethereum node", "Token index". */
  readonly name: string;
  readonly state: 'up' | 'down' | 'unknown';
  /** A few words: "answers in 3 ms", "cannot be reached". */
  readonly detail: string;
}

export interface StatusModel {
  readonly frame: Frame;
  readonly checkedAt: Date;
  readonly parts: readonly StatusPart[];
  /** The newest block that can be asked for; null while it is not known. */
  readonly head: { readonly number: number; readonly at: Date } | null;
}

/** GET /status: what works and what does not. */
export function statusPage({ frame, checkedAt, parts, head }: StatusModel): string {
  const down = parts.filter(({ state }) => state !== 'up');
  const verdict =
    parts.length === 0
      ? 'Nothing is known yet'
      : down.length === 0
        ? 'Everything works'
        : 'Not everything works';
  return layout(
    frame,
    { title: verdict, styles: ['account'] },
    html`<h1>${verdict}</h1>
      <p>
        Checked ${moment(checkedAt)}.
        ${head && html`The newest block is <span class="figure">${count(head.number)}</span>, of ${moment(head.at)}.`}
      </p>
      ${
        parts.length === 0
          ? html`<p class="empty">No part has answered yet. Load the page again in a moment.</p>`
          : html`<ul class="parts">
              ${parts.map(part)}
            </ul>`
      }`,
  );
}

function part({ name, state, detail }: StatusPart): Html {
  const words = { up: 'works', down: 'does not work', unknown: 'not known' };
  return html`<li data-state="${state}">
    <span class="part-name">${name}</span> <span class="part-state">${words[state]}</span>
    <span class="part-detail">${detail}</span>
  </li>`;
}
