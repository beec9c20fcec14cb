import type { PublicPart } from '../domain/status-words.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { count, moment } from './parts/format.ts';

/** What GET /status shows. */
export interface StatusModel {
  readonly checkedAt: Date;
  readonly parts: readonly PublicPart[];
  /** The newest block that can be asked for; null while it is not known. */
  readonly head: { readonly number: number; readonly at: Date } | null;
}

/** What works and what does not. */
export function statusPage(frame: Frame, { checkedAt, parts, head }: StatusModel): string {
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

function part({ name, state, detail }: PublicPart): Html {
  const words = { up: 'works', down: 'does not work' };
  return html`<li data-state="${state}">
    <span class="part-name">${name}</span> <span class="part-state">${words[state]}</span>
    <span class="part-detail">${detail}</span>
  </li>`;
}
