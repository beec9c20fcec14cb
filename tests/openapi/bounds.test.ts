/** docs/openapi.json says what is refused for its length or size. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

type Schema = Readonly<Record<string, unknown>> & {
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
};
/** An object, a list of objects, or lines of text. */
interface Body {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: { readonly properties: Readonly<Record<string, Schema>> };
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Body }>>;
  };
}

const { paths } = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

function isBounded(schema: Schema): boolean {
  if (schema.anyOf) return schema.anyOf.every(isBounded);
  if (schema.type === 'object') return Object.values(schema.properties ?? {}).every(isBounded);
  if (schema.type === 'null') return true;
  if ('const' in schema || 'enum' in schema) return true;
  if (schema.type === 'string')
    return 'pattern' in schema ? true : 'minLength' in schema && schema.minLength !== 0;
  if (schema.type === 'array') return 'minItems' in schema && 'maxItems' in schema;
  return ('minimum' in schema || 'exclusiveMinimum' in schema) && 'maximum' in schema;
}

const inputs = Object.values(paths)
  .flatMap((operations) => Object.values(operations))
  .flatMap(({ operationId, parameters = [], requestBody }) => [
    ...parameters
      .filter((parameter) => parameter.in !== 'header')
      .map(({ name, schema }) => ({ input: `${operationId} ${name}`, schema })),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
      Object.entries(schema.properties ?? schema.items?.properties ?? {}).map(([name, field]) => ({
        input: `${operationId} ${name}`,
        schema: field,
      })),
    ),
  ]);

describe('every parameter and field of docs/openapi.json', () => {
  it.each(inputs)('says what is refused: $input', ({ schema }) => {
    expect({ schema, isBounded: isBounded(schema) }).toEqual({ schema, isBounded: true });
  });

  it('is one that was found', () => {
    expect(inputs.length).toBeGreaterThan(20);
  });
});
