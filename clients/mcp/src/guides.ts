/** The guides as resources: texts that a model may read before it asks. They are files, read once, when first asked for. */
import type { ListResourcesResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A guide links to another by its file's name, which resolves against this. */
const BASE = 'hindsight://guides/';
const MARKDOWN = 'text/markdown';
/** The address in the guides' examples; replaced with the server's. */
const EXAMPLE_URL = 'http://127.0.0.1:8080';
/** The package has them beside its code, the repository among its documents. */
const FOLDER = [join(import.meta.dirname, 'guides'), join(import.meta.dirname, '../../../docs/guides')].find(
  (folder) => existsSync(folder),
);
/** A line of the index: `- [Quickstart](quickstart.md): your first call.` */
const ENTRY = /^- \[([^\]]+)\]\(([a-z\d-]+\.md)\): (.+(?:\n {2}.+)*)$/gm;

interface Guide {
  readonly listed: ListResourcesResult['resources'][number];
  readonly text: string;
}

let guides: ReadonlyMap<string, Guide> | undefined;

function loaded(): ReadonlyMap<string, Guide> {
  return (guides ??= new Map(FOLDER === undefined ? [] : entriesIn(FOLDER)));
}

function entriesIn(folder: string): [string, Guide][] {
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  return [...index.matchAll(ENTRY)].map(([, title = '', name = '', description = '']) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const uri = BASE + name;
    const about = { title, description: description.replaceAll(/\s+/g, ' '), mimeType: MARKDOWN };
    return [uri, { listed: { uri, name, ...about, size: Buffer.byteLength(text) }, text }];
  });
}

/** The answer of every server to `resources/list`: all guides, on one page. */
export function listGuides(): ListResourcesResult {
  return { resources: [...loaded().values()].map(({ listed }) => listed) };
}

/**
 * The answer to `resources/read`; undefined where there is no such guide.
 * @param url the API's, for the examples; empty where it is not known
 */
export function readGuide(uri: unknown, url: string): ReadResourceResult | undefined {
  const guide = typeof uri === 'string' ? loaded().get(uri) : undefined;
  if (guide === undefined) return undefined;
  const text = url === '' ? guide.text : guide.text.replaceAll(EXAMPLE_URL, url);
  return { contents: [{ uri: guide.listed.uri, mimeType: MARKDOWN, text }] };
}

/** The words for a resource that does not exist. */
export const NO_SUCH_GUIDE = 'Resource not found; resources/list names those there are';
