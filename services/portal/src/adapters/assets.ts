/** The files of pages besides their markup: public/, single files of npm packages, the OpenAPI document and Scalar. */
import { accessSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { etagOf } from '@hindsight/http/cacheable.ts';
import { encodeText, type Effort } from '@hindsight/http/content-coding.ts';
import { once } from '@hindsight/kernel/once.ts';
import Fastify from 'fastify';
import { offerNetworks, readReference, type OpenApi } from '../domain/reference.ts';
import { FONT, type Asset, type Assets, type LoadAsset } from '../asset-ports.ts';

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

/** Reads all of them. @throws {Error} if one is missing or has an unknown type */
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
  if (type === undefined) throw new Error(`${path} has no known media type`);
  const body = readFileSync(path);
  return once(() => makeAsset(type, body));
}

/** Written by `npm run build:openapi`. The portal does not import other services, so it reads a file. */
const OPENAPI = resolve(import.meta.dirname, '../../../../docs/openapi.json');
const ASYNCAPI = resolve(import.meta.dirname, '../../../../docs/asyncapi.yaml');

/** The OpenAPI document with the gateway's address and networks, read on first use. @throws {Error} if it is missing */
export function loadOpenApi(apiUrl: string, networks: readonly string[]) {
  accessSync(OPENAPI);
  // More than a megabyte, which takes 40 ms: read on demand.
  const read = (): OpenApi => offerNetworks(JSON.parse(readFileSync(OPENAPI, 'utf8')) as OpenApi, networks);
  const json = (): string => JSON.stringify({ ...read(), servers: [{ url: apiUrl }] });
  return {
    loadReference: once(async () => readReference(read(), apiUrl)),
    openApi: once(() => makeAsset('application/json; charset=utf-8', Buffer.from(json()))),
    /** The same as a script that leaves it in `openApi`: the explorer may load nothing else from the portal. */
    openApiScript: once(() =>
      makeAsset('text/javascript; charset=utf-8', Buffer.from(`globalThis.openApi = ${json()};\n`)),
    ),
  };
}

/** The description of the events (AsyncAPI 3). */
export function loadAsyncApi(): LoadAsset {
  return once(() => makeAsset('application/yaml; charset=utf-8', readFileSync(ASYNCAPI)));
}

/**
 * Scalar's browser bundle (MIT), from its npm package. The plugin around it would serve a page with inline
 * scripts, which our policy forbids.
 */
export function loadScalar(): LoadAsset {
  return once(async () => {
    const { default: plugin } = await import('@scalar/fastify-api-reference');
    const app = Fastify();
    try {
      await app.register(plugin, { routePrefix: '/reference', configuration: { url: '/openapi.json' } });
      const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js');
      if (statusCode !== 200) throw new Error(`Scalar's bundle was not found: ${statusCode}`);
      // Names a source map that is not part of the package.
      const text = rawPayload.toString('utf8').replace(/\n\/\/# sourceMappingURL=\S*\s*$/, '\n');
      // Some megabytes: the best compression would take seconds, and the first reader waits for it.
      return await makeAsset('text/javascript; charset=utf-8', Buffer.from(text), 'quick');
    } finally {
      await app.close();
    }
  });
}

/** A file with its validator, in every coding. Fonts are compressed already, so they have none. */
async function makeAsset(type: string, body: Buffer, effort: Effort = 'thorough'): Promise<Asset> {
  const plain = { type, etag: etagOf(body), body };
  if (type === FONT) return { ...plain, coded: {} };
  const [br, gzip] = await Promise.all([encodeText(body, 'br', effort), encodeText(body, 'gzip', effort)]);
  return { ...plain, coded: { br, gzip } };
}
