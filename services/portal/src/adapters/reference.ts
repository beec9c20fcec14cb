/** The reference of docs/openapi.json. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readReference, type OpenApi, type Reference } from '../domain/reference.ts';

/** Written by `npm run build:openapi`. The portal does not import other services, so it reads a file. */
export const OPENAPI = resolve(import.meta.dirname, '../../../../docs/openapi.json');

/** Reads it. @param apiUrl the gateway's public base URL @throws {Error} if it is missing or is not JSON */
export function loadReference(apiUrl: string): Reference {
  return readReference(JSON.parse(readFileSync(OPENAPI, 'utf8')) as OpenApi, apiUrl);
}
