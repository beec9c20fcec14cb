import { describe, expect, it } from '@jest/globals';
import { Html, html } from './html.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title><svg onload=alert(1)>',
  '&lt;script&gt;',
  '` onfocus=alert(1) autofocus',
  '<!--',
  ']]>',
  '\u0000<\u0000b>',
];

describe('a page template', () => {
  it.each(HOSTILE)('shows %j as text and never as markup, in text and in a quoted attribute', (text) => {
    const page = html`<p title="${text}">${text}</p>`.toString();
    const [, attribute = '', inside = ''] = /^<p title="([^"]*)">([^<]*)<\/p>$/.exec(page) ?? [];
    expect(attribute).not.toBe('');
    expect(attribute).toBe(inside);
    expect(unescape(inside)).toBe(text.replaceAll('\u0000', '\ufffd'));
  });

  it('keeps what another template made, and lists of it', () => {
    const items = ['a', '<b>'].map((name) => html`<li>${name}</li>`);
    expect(
      html`<ul>
        ${items}
      </ul>`
        .toString()
        .replace(/\s+/g, ''),
    ).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>');
  });

  it('leaves out what is absent and writes numbers as they are', () => {
    expect(html`[${null}${undefined}${false}${0}${12n}${''}]`.toString()).toBe('[012]');
  });

  it('takes nothing for markup that only looks like its own', () => {
    const forged = { toString: () => '<script>' } as unknown as Html;
    expect(() => html`${forged}`.toString()).toThrow();
    expect(() => new Html(Symbol('html'), '<script>')).toThrow('only');
  });

  it('shows characters that would turn the writing direction, or cannot be seen, as replaced', () => {
    expect(html`${'safe\u202egnp.exe\u0007'}`.toString()).toBe('safe\ufffdgnp.exe\ufffd');
  });

  it('writes a lone half of a surrogate pair as a replacement, so that the page stays valid UTF-8', () => {
    expect(html`${'a\ud800b'}`.toString()).toBe('a\ufffdb');
  });
});

/** What a browser makes of escaped text. */
function unescape(text: string): string {
  const characters: Record<string, string> = {
    lt: '<',
    gt: '>',
    quot: '"',
    '#39': "'",
    '#96': '`',
    amp: '&',
  };
  return text.replace(/&([^;]+);/g, (_, name: string) => characters[name] ?? '?');
}
