import { html, type Html } from '../html.ts';

/** A count with thin groups of three: 1,234,567. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** A point in time, to the minute, in UTC. */
export function moment(at: Date | number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

/** A text with times of the form 2026-12-01T09:30:00.000Z, formatted like all times here. */
export function withMoments(text: string): readonly (Html | string)[] {
  return text.split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/).map((part, i) => {
    const at = new Date(i % 2 === 1 ? part : NaN);
    return Number.isNaN(at.getTime()) ? part : moment(at);
  });
}

/** A day in words: 1 December 2026. */
export function day(at: string | number): Html {
  const date = new Date(at);
  const words = date.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${words}</time>`;
}
