import { describe, expect, it } from '@jest/globals';
import { html } from '../html.ts';
import { withMoments } from './format.ts';

const shown = (text: string): string => html`${withMoments(text)}`.toString();

describe('a text that contains times', () => {
  it('shows each to the minute, with the exact time for programs', () => {
    expect(shown('old keys work until 2026-12-01T09:30:12.345Z, not 2026-12-02T00:00:00.000Z')).toBe(
      'old keys work until <time datetime="2026-12-01T09:30:12.345Z">2026-12-01 09:30 UTC</time>, ' +
        'not <time datetime="2026-12-02T00:00:00.000Z">2026-12-02 00:00 UTC</time>',
    );
  });

  it.each(['free to growth', '', '2026-12-01', '2026-99-01T09:30:00.000Z', 'x2026'])(
    'is unchanged without any: %j',
    (text) => expect(shown(text)).toBe(text),
  );

  it('is escaped, whatever surrounds the times', () => {
    expect(shown('<b>2026-12-01T09:30:00.000Z"')).toMatch(/^&lt;b&gt;<time [^<]*<\/time>&quot;$/);
  });
});
