/** Search over the guides and the reference, on the server: it works without scripts. Pure. */
import { createAnchors } from './anchor.ts';

/** A part of a page, from one heading to the next. */
export type SearchEntry = ReturnType<typeof entryOf>;

export interface SearchHit extends Pick<SearchEntry, 'page' | 'title' | 'href'> {
  /** The words around the first match. */
  readonly excerpt: string;
}

const MAX_HITS = 30;
const MAX_WORDS = 8;
const AROUND = 80;
/** A sign between two parts of a name, or a space between two words. */
const APART = String.raw`[^\p{L}\p{N}]`;
/** A sign that one name has within a part and another has not. */
const WITHIN = String.raw`[^\p{L}\p{N}\s]?`;
const SIGNS = /[^\p{L}\p{N}]/gu;

/** The parts of a page. @param path where the page is */
export function entriesOf(markdown: string, page: string, path: string): readonly SearchEntry[] {
  const parts = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').split(/^(?=#{1,3} )/m);
  const anchorOf = createAnchors();
  return parts.flatMap((part): SearchEntry[] => {
    const [, marks = '', heading = ''] = /^(#{1,3}) (.+)$/m.exec(part) ?? [];
    const text = plain(part.replace(/^#.*$/m, ''));
    if (marks.length < 2) return text === '' ? [] : [entryOf(page, page, path, text)];
    return [entryOf(page, plain(heading), `${path}#${anchorOf(heading)}`, text)];
  });
}

/** @param title the heading; the page's for text before the first one */
function entryOf(page: string, title: string, href: string, text: string) {
  const all = `${title} ${page} ${text}`.toLowerCase();
  return {
    page,
    title,
    href,
    text,
    /** Heading, page and text in lower case, for the search. */
    lower: [title.toLowerCase(), all] as const,
    /** The same without anything but letters and digits. */
    letters: all.replaceAll(SIGNS, ''),
  };
}

/** The parts with every word of the query, first those that have them in the heading. */
export function search(entries: readonly SearchEntry[], query: string): readonly SearchHit[] {
  const words = query
    .split(/\s+/)
    .map(partsOf)
    .filter((parts) => parts.length > 0)
    .slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  const patterns = words.map(patternOf);
  const wanted = patterns.map((word) => new RegExp(word, 'u'));
  const phrase = new RegExp(patterns.join(`${APART}{1,3}`), 'u');
  // To look for letters is far cheaper than to try a pattern at each of them, and most entries lack some.
  const letters = words.map((parts) => parts.join(''));
  const ranked = entries.flatMap((entry) => {
    if (!letters.every((each) => entry.letters.includes(each))) return [];
    const rank = rankOf(entry.lower, wanted, phrase);
    return rank < 0 ? [] : [{ entry, rank }];
  });
  return ranked
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MAX_HITS)
    .map(({ entry: { text, lower: _lower, letters: _letters, ...found } }) => ({
      ...found,
      excerpt: excerptOf(text, wanted),
    }));
}

/** The parts of a name in lower case: `holderResolvedAt` has three. None without a letter or digit. */
function partsOf(word: string): readonly string[] {
  const apart = word.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ').toLowerCase();
  return apart.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * A pattern of a word, however the parts of a name are put together: `holderResolvedAt` finds `holder_resolved_at`,
 * `balance-single` finds `balance/single`, `erc20` finds ERC-20.
 */
function patternOf(parts: readonly string[]): string {
  return parts.map((part) => [...part].join(WITHIN)).join(`${APART}?`);
}

/** Negative where a word is missing. */
function rankOf([title, all]: SearchEntry['lower'], words: readonly RegExp[], phrase: RegExp): number {
  if (!words.every((word) => word.test(all))) return -1;
  if (phrase.test(title)) return 3;
  if (words.every((word) => word.test(title))) return 2;
  return phrase.test(all) ? 1 : 0;
}

function excerptOf(text: string, words: readonly RegExp[]): string {
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.search(word)).filter((at) => at >= 0);
  const match = Math.min(...found, text.length);
  const from = found.length === 0 ? 0 : wordFrom(text, Math.max(match - AROUND, 0), match);
  const to = wordEnd(text, Math.min(from + 2 * AROUND, text.length), match);
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** The first beginning of a word from `from` on; `from` itself if there is none up to `most`. */
function wordFrom(text: string, from: number, most: number): number {
  if (from === 0) return from;
  const space = text.indexOf(' ', from - 1);
  return space >= 0 && space < most ? space + 1 : from;
}

/** The last end of a word up to `to`; `to` itself if there is none behind `least`. */
function wordEnd(text: string, to: number, least: number): number {
  if (to === text.length) return to;
  const space = text.lastIndexOf(' ', to);
  return space > least ? space : to;
}

/** Without the marks of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/\[([^[\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|]|^[-#>\s]+/gm, ' ')
    .replaceAll(/-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
