import type { Frame } from './frame.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';

/** What a page says instead of what was asked for. */
export interface MessageModel {
  /** The status of the answer: 403, 404, 429, 500, 503… */
  readonly status: number;
  /** What happened, in a sentence fit for everybody. */
  readonly message: string;
  /** What an operator needs to find it in the log; shown from 500 on. */
  readonly requestId: string;
  /** Seconds until it makes sense to try again. */
  readonly retryAfter?: number | undefined;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'That could not be read',
  403: 'This is not open to you',
  404: 'There is no such page',
  405: 'Not in this way',
  409: 'That has changed meanwhile',
  413: 'That was too much',
  429: 'Too many at once',
  500: 'Something failed here',
  503: 'Not at the moment',
};

/** The page of everything that went otherwise. */
export function messagePage(frame: Frame, { status, message, requestId, retryAfter }: MessageModel): string {
  const title = TITLES[status] ?? (status >= 500 ? 'Something failed here' : 'That did not work');
  return layout(
    frame,
    { title, width: 'form' },
    html`<p class="status-code" aria-hidden="true">${status}</p>
      <h1>${title}</h1>
      <p>${message}</p>
      ${retryAfter !== undefined && html`<p>Try again in ${retryAfter === 1 ? '1 second' : `${retryAfter} seconds`}.</p>`}
      ${status >= 500 && html`<p class="aside">Request <code>${requestId}</code></p>`}
      <p class="actions"><a class="button" href="/">To the first page</a></p>`,
  );
}
