import type { PublicPart } from '../domain/status-words.ts';
import type { Frame } from './frame.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { count, moment } from './parts/format.ts';

export interface StatusModel {
  readonly checkedAt: Date;
  readonly parts: readonly PublicPart[];
  /** The latest block that can be queried; null if unknown. */
  readonly head: { readonly number: number; readonly at: Date; readonly network?: string } | null;
}

export function statusPage(frame: Frame, { checkedAt, parts, head }: StatusModel): string {
  const down = parts.filter(({ state }) => state !== 'up');
  const verdict =
    parts.length === 0
      ? 'No data yet'
      : down.length === 0
        ? 'All systems operational'
        : 'Some systems are down';
  return layout(
    frame,
    { title: verdict, styles: ['account'] },
    html`<h1>${verdict}</h1>
      <p>
        Checked ${moment(checkedAt)}.
        ${head && html`The latest block${head.network && ` of ${head.network}`} is <span class="figure">${count(head.number)}</span>, mined ${moment(head.at)}.`}
      </p>
      ${
        parts.length === 0
          ? html`<p class="empty">Nothing has answered yet. Reload in a moment.</p>`
          : html`<ul class="parts">
              ${parts.map(part)}
            </ul>`
      }`,
  );
}

function part({ name, state, detail }: PublicPart): Html {
  const words = { up: 'Operational', down: 'Down' };
  return html`<li data-state="${state}">
    <span class="part-name">${name}</span> <span class="part-state">${words[state]}</span>
    <span class="part-detail">${detail}</span>
  </li>`;
}
