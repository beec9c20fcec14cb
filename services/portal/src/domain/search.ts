/** Search over the guides and the reference, on the server: it works without scripts. Pure. */
import { anchorOf } from './anchor.ts';

/** A part of a page, from one heading to the next. */
export interface SearchEntry {
  readonly page: string;
  /** The heading; that of the page for what stands before the first one. */
  readonly title: string;
  readonly href: string;
  readonly text: string;
}

/** What is found, the best first. */
export interface SearchHit {
  readonly page: string;
  readonly title: string;
  readonly href: string;
  /** The words around the first match. */
  readonly excerpt: string;
}

const MAX_HITS = 30;
const MAX_WORDS = 8;
const AROUND = 80;

/** The parts of a page. @param path where the page is */
export function entriesOf(markdown: string, page: string, path: string): readonly SearchEntry[] {
  const parts = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').split(/^(?=#{1,3} )/m);
  return parts.flatMap((part): SearchEntry[] => {
    const [, marks = '', heading = ''] = /^(#{1,3}) (.+)$/m.exec(part) ?? [];
    const text = plain(part.replace(/^#.*$/m, ''));
    if (marks.length < 2) return text === '' ? [] : [{ page, title: page, href: path, text }];
    return [{ page, title: plain(heading), href: `${path}#${anchorOf(heading)}`, text }];
  });
}

/** The parts that have every word of the query, those first that have them in their heading. */
export function search(entries: readonly SearchEntry[], query: string): readonly SearchHit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  const phrase = words.join(' ');
  const ranked = entries.flatMap((entry) => {
    const [title, text] = [entry.title.toLowerCase(), entry.text.toLowerCase()];
    const all = `${title} ${entry.page.toLowerCase()} ${text}`;
    if (!words.every((word) => all.includes(word))) return [];
    const rank = title.includes(phrase)
      ? 3
      : words.every((word) => title.includes(word))
        ? 2
        : all.includes(phrase)
          ? 1
          : 0;
    return [{ entry, rank }];
  });
  return ranked
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MAX_HITS)
    .map(({ entry: { page, title, href, text } }) => ({
      page,
      title,
      href,
      excerpt: excerptOf(text, words),
    }));
}

function excerptOf(text: string, words: readonly string[]): string {
  const at = Math.max(
    Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((i) => i >= 0), text.length),
    0,
  );
  const from = at === text.length ? 0 : Math.max(at - AROUND, 0);
  const to = Math.min(from + 2 * AROUND, text.length);
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** Without the marks of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|]|^[-#>\s]+/gm, ' ')
    .replaceAll(/-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
