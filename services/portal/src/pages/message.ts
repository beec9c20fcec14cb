import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';

export interface MessageModel {
  /** The status of the answer: 403, 404, 429, 500, 503… */
  readonly status: number;
  /** An explanation for every reader; empty if the title says it. */
  readonly message: string;
  /** For the operator to find the case in the log; shown for 5xx. */
  readonly requestId: string;
  /** Seconds until it makes sense to try again. */
  readonly retryAfter?: number | undefined;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  403: 'Access denied',
  404: 'Page not found',
  405: 'Method not allowed',
  413: 'Request too large',
  421: 'Wrong address',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
};

export function messagePage(frame: Frame, { status, message, requestId, retryAfter }: MessageModel): string {
  const title = TITLES[status] ?? 'Something went wrong';
  return layout(
    frame,
    { title, width: 'form' },
    html`<p class="status-code" aria-hidden="true">${status}</p>
      <h1>${title}</h1>
      ${message !== '' && html`<p>${message}</p>`}
      ${retryAfter !== undefined && html`<p>Try again in ${wait(retryAfter)}.</p>`}
      ${status >= 500 && html`<p class="aside">Request <code>${requestId}</code></p>`}
      <p class="actions">
        ${
          frame.user
            ? html`<a class="button" href="/dashboard">Back to dashboard</a>`
            : html`<a class="button" href="/">Go home</a>`
        }
      </p>`,
  );
}

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** A time to wait, rounded up: 10 minutes. */
function wait(seconds: number): string {
  const [size, unit] = UNITS.find(([size]) => seconds >= 1.5 * size) ?? [1, 'second'];
  const count = Math.ceil(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
