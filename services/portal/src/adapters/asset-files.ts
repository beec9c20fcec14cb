/** What pages are made of besides their markup: public/, and single files of npm packages, as npm brings them. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Asset, Assets } from '../asset-ports.ts';

const PUBLIC = resolve(import.meta.dirname, '../../public');

/** Name below /assets/ → file of a package. STIX Two and IBM Plex are under the SIL Open Font License, uPlot under MIT. */
const VENDORED: Readonly<Record<string, string>> = {
  'fonts/text.woff2': '@fontsource/stix-two-text/files/stix-two-text-latin-400-normal.woff2',
  'fonts/text-italic.woff2': '@fontsource/stix-two-text/files/stix-two-text-latin-400-italic.woff2',
  'fonts/text-semibold.woff2': '@fontsource/stix-two-text/files/stix-two-text-latin-600-normal.woff2',
  'fonts/figures.woff2': '@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2',
  'vendor/uplot.js': 'uplot/dist/uPlot.iife.min.js',
  'vendor/uplot.css': 'uplot/dist/uPlot.min.css',
};

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Reads and compresses all of them, once. @throws {Error} when one is missing, or is of no known type */
export function loadAssets(): Assets {
  const assets = new Map<string, Asset>();
  for (const entry of readdirSync(PUBLIC, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    assets.set(path.slice(PUBLIC.length + 1).replaceAll('\\', '/'), read(path));
  }
  for (const [name, file] of Object.entries(VENDORED)) {
    assets.set(name, read(fileURLToPath(import.meta.resolve(file))));
  }
  return assets;
}

function read(path: string): Asset {
  const type = TYPES[extname(path)];
  if (type === undefined) throw new Error(`${path} is of no type that browsers are given`);
  const body = readFileSync(path);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  // Fonts are compressed already.
  const coded =
    type === 'font/woff2' ? {} : { br: brotliCompressSync(body), gzip: gzipSync(body, { level: 9 }) };
  return { type, etag, body, coded };
}
