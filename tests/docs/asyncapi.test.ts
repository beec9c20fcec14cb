/**
 * docs/asyncapi.yaml is a valid document of AsyncAPI 3; a test next to the code compares it with the code.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import { Ajv, type AnySchema } from 'ajv';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import { read } from './pages.ts';

const require = createRequire(import.meta.url);
const SCHEMA = require.resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json');
type Json = Record<string, unknown>;

it('docs/asyncapi.yaml follows the schema of AsyncAPI 3, and refers to what is in it', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  const validate = ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8')) as AnySchema);
  const document = parse(read('docs/asyncapi.yaml')) as Json;
  expect([validate(document), validate.errors]).toEqual([true, null]);
  expect([validate({ ...document, channels: [] }), validate({ ...document, info: {} })]).toEqual([
    false,
    false,
  ]);

  const references = [...read('docs/asyncapi.yaml').matchAll(/\$ref: '#\/(.+)'/g)].map(
    ([, path = '']) => path,
  );
  expect(references.length).toBeGreaterThan(20);
  const isThere = (path: string): boolean =>
    path.split('/').reduce<unknown>((found, name) => (found as Json | undefined)?.[name], document) !==
    undefined;
  expect(references.filter((path) => !isThere(path))).toEqual([]);
});
