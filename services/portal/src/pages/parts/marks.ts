import { html, type Html } from '../html.ts';

/** The sign of the house: a balance that steps, and the line that asks what it was. */
export function brandMark(): Html {
  return html`<svg
    class="mark"
    viewBox="0 0 24 24"
    width="24"
    height="24"
    aria-hidden="true"
    focusable="false"
  >
    <path class="mark-step" d="M1 19h6v-7h6v4h4V7h6" fill="none" stroke-width="2" />
    <path class="mark-then" d="M10 2v20" fill="none" stroke-width="2" />
  </svg>`;
}
