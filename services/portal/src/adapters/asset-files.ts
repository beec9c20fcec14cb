/** What pages are made of besides their markup: public/, and single files of npm packages, as npm brings them. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FONT, type Assets, type LoadAsset } from '../asset-ports.ts';
import { makeAsset } from './make-asset.ts';
import { once } from './once.ts';

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
  '.woff2': FONT,
};

/** Reads all of them. @throws {Error} when one is missing, or is of no known type */
export function loadAssets(): Assets {
  const assets = new Map<string, LoadAsset>();
  for (const entry of readdirSync(PUBLIC, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    assets.set(relative(PUBLIC, path).replaceAll('\\', '/'), read(path));
  }
  for (const [name, file] of Object.entries(VENDORED)) {
    assets.set(name, read(fileURLToPath(import.meta.resolve(file))));
  }
  return assets;
}

function read(path: string): LoadAsset {
  const type = TYPES[extname(path)];
  if (type === undefined) throw new Error(`${path} is of no type that browsers are given`);
  const body = readFileSync(path);
  return once(() => makeAsset(type, body));
}
