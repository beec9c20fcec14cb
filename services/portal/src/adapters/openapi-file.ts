import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Asset } from '../asset-ports.ts';

/** Written by `npm run build:openapi`; a portal knows no other service, so it is given their document as a file. */
const FILE = resolve(import.meta.dirname, '../../../../docs/openapi.json');

/** The OpenAPI document with the gateway's address in it. */
export function loadOpenApi(apiUrl: string): Asset {
  const document = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, unknown>;
  const body = Buffer.from(JSON.stringify({ ...document, servers: [{ url: apiUrl }] }));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const coded = { br: brotliCompressSync(body), gzip: gzipSync(body) };
  return { type: 'application/json; charset=utf-8', etag, body, coded };
}
