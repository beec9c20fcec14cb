/** The schemas of docs/openapi.json, as validators that are stricter than the document. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { readFileSync } from 'node:fs';

type Node = Record<string, unknown>;

/** A body of the document. */
export interface Media {
  readonly schema: Node;
  readonly example?: unknown;
}

const { components } = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
) as { components: Node };

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(strict({ components }) as Node, 'openapi.json');

/** Answers may gain fields; but none may be missing from the document. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  const isOpen = copy.type === 'object' && copy.additionalProperties === undefined;
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}

/** A validator of bodies; its components have no other fields than the document has. */
export function validatorOf({ schema }: Media): ValidateFunction {
  return ajv.compile(inDocument(schema));
}

/** The same schema, seen from outside of the document. */
function inDocument({ $ref, anyOf, ...rest }: Node): Node {
  return {
    ...rest,
    ...(typeof $ref === 'string' ? { $ref: `openapi.json${$ref}` } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: (anyOf as Node[]).map(inDocument) } : {}),
  };
}
