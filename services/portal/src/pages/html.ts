/** Markup as values: the result of `html` is markup, everything else is text and is escaped. */

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Markup made by `html`; nothing else can create it. */
export class Html {
  readonly #markup: string;

  constructor(seal: symbol, markup: string) {
    if (seal !== SEAL) throw new Error('markup is made by html`…` only');
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

const SEAL = Symbol('html');

/** The values that a template accepts: text and numbers are escaped, absent values leave nothing. */
export type Part = Html | string | number | bigint | null | undefined | false | readonly Part[];

/**
 * Tagged template for markup. Every interpolation is escaped for text and for quoted attributes, so attributes
 * must be quoted in the template; an interpolation must not stand where a name, a script or a style would.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? '';
  parts.forEach((part, i) => {
    markup += render(part) + (strings[i + 1] ?? '');
  });
  return new Html(SEAL, markup);
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.toString();
  if (typeof part === 'object') return part.map(render).join('');
  return escapeText(String(part));
}

// Control characters other than white space, and those that change the writing direction, would let a token's name
// affect the page around it.
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}\ufeff]/gu;

function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(INVISIBLE, '\ufffd')
    .replace(/[&<>"'`]/g, (character) => ESCAPES[character] ?? '');
}
