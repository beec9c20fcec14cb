/** The documents that the portal shows: guides, networks, recipes, changes, and, where its users run it, operations. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import type { Guide } from '../domain/guide.ts';
import { sentence } from '../domain/sentence.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
/** The address in the guides' examples; replaced with the installation's. */
const EXAMPLE_URL = 'http://127.0.0.1:8080';
/** A line of docs/guides/README.md, `- [Quickstart](quickstart.md): your first call.`, or the heading of a group. */
const ENTRY = /^(?:## (.+)|- \[[^\]]+\]\(([a-z0-9-]+)\.md\): (.+))$/gm;
/** A row of docs/operations/README.md: `| [install](install.md) | before the first start: the ways to run it |` */
const ROW = /^\| \[[^\]]+\]\(([a-z0-9-]+)\.md\) *\| ([^|\n]+)\|$/gm;
const LINK = /\[([^\][]+)\]\(([^)\s]+)\)/g;

type Listed = Pick<Guide, 'slug' | 'group' | 'summary'> & { readonly path: string };

/**
 * Reads all documents. Links between them lead to their pages; what a link to any other file says stays as text.
 * @param apiUrl the gateway's public base URL
 * @param hasOperations with the pages for operators
 * @throws {Error} if one is missing or has no title
 */
export function loadGuides(apiUrl: string, hasOperations = true): readonly Guide[] {
  const listed = [
    ...guides(),
    ...networks(),
    { path: 'docs/recipes.md', slug: 'recipes', group: 'More', summary: 'Short answers to real jobs.' },
    { path: 'CHANGELOG.md', slug: 'changelog', group: 'More', summary: 'Changes of each version.' },
    ...(hasOperations ? operations() : []),
  ];
  const slugs = new Map(listed.map(({ path, slug }) => [path, slug]));
  return listed.map(({ path, ...about }) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const title = /^# (.+)$/m.exec(text)?.[1];
    if (title === undefined) throw new Error(`${path} has no title`);
    return { ...about, title, markdown: withLinks(text, path, slugs).replaceAll(EXAMPLE_URL, apiUrl) };
  });
}

function guides(): Listed[] {
  let group = '';
  return entriesOf('docs/guides/README.md', ENTRY).flatMap(([, heading, slug = '', summary = '']) => {
    if (heading !== undefined) group = heading;
    return heading === undefined
      ? [{ path: `docs/guides/${slug}.md`, slug, group, summary: sentence(summary) }]
      : [];
  });
}

function networks(): Listed[] {
  const names = readdirSync(join(ROOT, 'docs/networks'))
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => file.slice(0, -'.md'.length))
    .sort();
  const group = 'Networks';
  const index = { path: 'docs/networks/README.md', slug: 'networks', group, summary: 'Those it can serve.' };
  return [
    index,
    ...names.map((name) => ({
      path: `docs/networks/${name}.md`,
      slug: `networks/${name}`,
      group,
      summary: '',
    })),
  ];
}

function operations(): Listed[] {
  const path = 'docs/operations/README.md';
  const group = 'Operations';
  return [
    { path, slug: 'operations', group, summary: 'How to run it, and where to look things up.' },
    ...entriesOf(path, ROW).map(([, name = '', summary = '']) => ({
      path: `docs/operations/${name}.md`,
      slug: `operations/${name}`,
      group,
      summary: `${sentence(summary.trim())}.`,
    })),
  ];
}

function entriesOf(path: string, pattern: RegExp): readonly RegExpMatchArray[] {
  return [...readFileSync(join(ROOT, path), 'utf8').matchAll(pattern)];
}

function withLinks(text: string, path: string, slugs: ReadonlyMap<string, string>): string {
  const linked = (whole: string, words: string, href: string): string => {
    if (/^(?:[a-z]+:|#|\/)/.test(href)) return whole;
    const [file = '', anchor] = href.split('#', 2);
    const slug = slugs.get(posix.join(posix.dirname(path), file));
    if (slug === undefined) return words;
    return `[${words}](/docs/${slug}${anchor === undefined ? '' : `#${anchor}`})`;
  };
  // Code stays as it is.
  return text
    .split(/^( *```[\s\S]*?^ *```$)/m)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll(LINK, linked)))
    .join('');
}
