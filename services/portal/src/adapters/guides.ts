/** The guides of docs/guides, in the order of their README. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sentence } from '../domain/sentence.ts';
import type { Guide } from '../domain/guide.ts';

const GUIDES = resolve(import.meta.dirname, '../../../../docs/guides');
/** The address in the guides' examples; replaced with the installation's. */
const EXAMPLE_URL = 'http://127.0.0.1:8080';
/** A line of the README, `- [Quickstart](quickstart.md): your first call.`, or the heading of a group. */
const ENTRY = /^(?:## (.+)|- \[[^\]]+\]\(([a-z0-9-]+)\.md\): (.+))$/gm;

/** Reads all guides. @param apiUrl the gateway's public base URL @throws {Error} if one is missing or has no title */
export function loadGuides(apiUrl: string): readonly Guide[] {
  const contents = readFileSync(join(GUIDES, 'README.md'), 'utf8');
  let group = '';
  return [...contents.matchAll(ENTRY)].flatMap(([, heading, slug = '', summary = '']) => {
    if (heading !== undefined) {
      group = heading;
      return [];
    }
    const text = readFileSync(join(GUIDES, `${slug}.md`), 'utf8');
    const title = /^# (.+)$/m.exec(text)?.[1];
    if (title === undefined) throw new Error(`docs/guides/${slug}.md has no title`);
    const markdown = text.replaceAll(EXAMPLE_URL, apiUrl);
    return [{ slug, group, title, summary: sentence(summary), markdown }];
  });
}
