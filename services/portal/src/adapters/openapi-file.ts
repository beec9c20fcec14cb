import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadAsset } from '../asset-ports.ts';
import { makeAsset } from './make-asset.ts';
import { once } from './once.ts';

/** Written by `npm run build:openapi`; a portal knows no other service, so it is given their document as a file. */
const FILE = resolve(import.meta.dirname, '../../../../docs/openapi.json');

/** The OpenAPI document with the gateway's address in it. @throws {Error} when it is missing, or is no JSON */
export function loadOpenApi(apiUrl: string): LoadAsset {
  const document = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, unknown>;
  const body = Buffer.from(JSON.stringify({ ...document, servers: [{ url: apiUrl }] }));
  return once(() => makeAsset('application/json; charset=utf-8', body));
}
