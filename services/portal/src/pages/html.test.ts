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

  it('keeps the markup of other templates, and lists of it', () => {
    const items = ['a', '<b>'].map((name) => html`<li>${name}</li>`);
    expect(
      html`<ul>
        ${items}
      </ul>`
        .toString()
        .replace(/\s+/g, ''),
    ).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>');
  });

  it('omits absent values and writes numbers as they are', () => {
    expect(html`[${null}${undefined}${false}${0}${12n}${''}]`.toString()).toBe('[012]');
  });

  it('rejects forged markup', () => {
    const forged = { toString: () => '<script>' } as unknown as Html;
    expect(() => html`${forged}`.toString()).toThrow();
    expect(() => new Html(Symbol('html'), '<script>')).toThrow('only');
  });

  it('replaces invisible characters and those that change the writing direction', () => {
    expect(html`${'safe\u202egnp.exe\u0007'}`.toString()).toBe('safe\ufffdgnp.exe\ufffd');
  });

  it('replaces a lone surrogate, so that the page stays valid UTF-8', () => {
    expect(html`${'a\ud800b'}`.toString()).toBe('a\ufffdb');
  });
});

/** Unescapes text as a browser does. */
function unescape(text: string): string {
  const characters: Record<string, string> = {
    lt: '<',
    gt: '>',
    quot: '"',
    '#39': "'",
    '#96': '`',
    amp: '&',
  };
  return text.replace(/&([^;&]+);/g, (_, name: string) => characters[name] ?? '?');
}
