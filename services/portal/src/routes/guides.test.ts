import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadGuides } from '../adapters/guides.ts';
import { loadOpenApi } from '../adapters/assets.ts';
import { entriesOf } from '../domain/search.ts';
import { operationsOf } from '../domain/reference.ts';
import { guidePage } from '../pages/guides.ts';
import { readDocument } from '../pages/parts/markdown.ts';
import { operationPage } from '../pages/reference.ts';
import { llms } from './guides.ts';

const DOCS = resolve(import.meta.dirname, '../../../../docs');
const titleOf = (text: string) => /^# (.+)$/m.exec(text)?.[1];
const FRAME = { user: null, theme: 'auto', path: '/docs', mailbox: false } as const;
const API = 'https://api.example.org';
const guides = loadGuides(API);

describe('the guides', () => {
  it.each(['guides', 'operations'])('in docs/%s are all named in their README', (name) => {
    const files = readdirSync(resolve(DOCS, name)).filter((file) => file !== 'README.md');
    const texts = files.map((file) => titleOf(readFileSync(resolve(DOCS, name, file), 'utf8')));
    expect(guides.map(({ title }) => title)).toEqual(expect.arrayContaining(texts));
  });

  it('are without those for operators where they are hidden', () => {
    const shown = loadGuides(API, false).map(({ slug }) => slug);
    expect(shown).toEqual(guides.map(({ slug }) => slug).filter((slug) => !slug.startsWith('operations')));
    expect(shown).toEqual(expect.arrayContaining(['quickstart', 'networks', 'recipes', 'changelog']));
    const text = loadGuides(API, false).map(({ markdown }) => markdown);
    expect(text.join('\n')).not.toContain('](/docs/operations');
  });

  it.each(guides)('$slug shows this installation’s address, and no other', ({ markdown }) => {
    expect(markdown).not.toContain('http://127.0.0.1:8080');
  });

  it.each(guides)('$slug links to guides that exist', ({ markdown }) => {
    const slugs = guides.map(({ slug }) => slug);
    const linked = [...markdown.matchAll(/\]\(\/docs\/([a-z/-]+)/g)].map(([, slug]) => slug);
    expect(linked.filter((slug) => !slugs.includes(slug ?? ''))).toEqual([]);
    expect(markdown.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')).not.toMatch(/\]\((?!\/|#|https?:|mailto:)/);
  });

  it.each(guides)('$slug is a page with all of its headings and code', (guide) => {
    const page = guidePage(FRAME, { guide, guides, next: undefined });
    const text = guide.markdown;
    expect(page.split('<h2 ').length - 1).toBe(text.match(/^## /gm)?.length ?? 0);
    expect(page.split('class="code"').length - 1).toBe((text.match(/^ *```/gm)?.length ?? 0) / 2);
    expect(page.replaceAll(/<pre[\s\S]*?<\/pre>/g, '')).not.toMatch(/\*\*|\]\(|`[^`]+`/);
  });
});

const idsOf = (page: string) => [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
const repeated = (all: readonly unknown[]) => all.filter((one, i) => all.indexOf(one) !== i);

describe('ids', () => {
  it.each(guides)(
    'of $slug are unique: a button that copies, and a link, find their part by one',
    (guide) => {
      expect(repeated(idsOf(guidePage(FRAME, { guide, guides, next: undefined })))).toEqual([]);
    },
  );

  it('of parts that a search finds are those of their page', () => {
    const guide = guides.find(({ slug }) => slug === 'changelog')!;
    const ids = idsOf(guidePage(FRAME, { guide, guides, next: undefined }));
    const found = entriesOf(guide.markdown, guide.title, '').flatMap(({ href }) => href.split('#')[1] ?? []);
    expect(found.filter((id) => !ids.includes(id))).toEqual([]);
    expect(repeated(found)).toEqual([]);
  });
});

const reference = await loadOpenApi(API, ['eth-mainnet']).loadReference();

describe('the page of an endpoint', () => {
  const network = { name: 'eth-mainnet', native: { symbol: 'ETH', decimals: 18 } };

  it.each(operationsOf(reference))('$slug has every part that it links to, once', (operation) => {
    const page = operationPage(FRAME, { operation, network, networks: [network], next: undefined });
    const ids = idsOf(page);
    expect(repeated(ids)).toEqual([]);
    const linked = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
    expect(linked.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe('llms.txt', () => {
  const text = llms({ guides, reference, apiUrl: API });

  it('names every guide, every endpoint and the tools', () => {
    for (const { slug } of guides) expect(text).toContain(`](/docs/${slug}.md)`);
    expect(text).toContain(': POST /v1/{network}/balance/snapshot\n');
    expect(text).toContain(`${API}/mcp`);
  });
});

describe('Markdown', () => {
  const markup = (text: string): string => readDocument(text).lead.join('');

  it('escapes markup of the document, once', () => {
    expect(markup('a <b>x</b> & `<i>` & "y"')).toBe(
      '<p>a &lt;b&gt;x&lt;/b&gt; &amp; <code>&lt;i&gt;</code> &amp; &quot;y&quot;</p>',
    );
  });
});
