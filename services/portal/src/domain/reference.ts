/** The API as its reference shows it, read from the OpenAPI document. Pure. */

import { anchorOf } from './anchor.ts';

/** The parts of the document that the portal uses. */
export interface OpenApi {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface OpenApiOperation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Media>> }>
  >;
  readonly 'x-codeSamples'?: readonly Sample[];
  readonly 'x-certainty'?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}

/** A JSON Schema, as far as the document has it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: string | number | boolean;
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Sample {
  readonly label: string;
  readonly source: string;
}

/** A parameter, or a field of a body or an answer. */
export interface Field {
  /** Of a field in a field: `points[].balance`. */
  readonly name: string;
  /** `string`, `integer, 1 to 1,000`. */
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

export type Operation = ReturnType<typeof read>;
export type Reference = ReturnType<typeof readReference>;

export function operationsOf({ groups }: Reference): readonly Operation[] {
  return groups.flatMap(({ operations }) => operations);
}

/** Reads it on first use: most portals that start are asked for something else. */
export type LoadReference = () => Promise<Reference>;

/** Reads the document. @param apiUrl the gateway's base URL, in place of the document's */
export function readReference(document: OpenApi, apiUrl: string) {
  const example = document.servers[0]?.url ?? '';
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      read(document, { path, method, operation, example, apiUrl }),
    ),
  );
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ group }) => group === name),
  }));
  return {
    introduction: document.info.description,
    groups: groups.filter((group) => group.operations.length > 0),
  };
}

/** The document of an installation that serves these networks: no other is offered, and the explorer starts with the first. */
export function offerNetworks(document: OpenApi, names: readonly string[]): OpenApi {
  const offered = (parameter: Parameter): Parameter =>
    parameter.name === 'network' && parameter.in === 'path'
      ? { ...parameter, schema: { ...parameter.schema, enum: names } }
      : parameter;
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, operation]) => {
      const { parameters } = operation;
      return [
        method,
        parameters ? { ...operation, parameters: parameters.map(offered) } : operation,
      ] as const;
    });
    return [path, Object.fromEntries(operations)] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** An operation with examples in the paths of a network; the addresses in them stay mainnet's. */
export function onNetwork(operation: Operation, network: string): Operation {
  const here = (text: string): string => text.replaceAll(`/v1/${EXAMPLES_OF}/`, `/v1/${network}/`);
  return { ...operation, samples: operation.samples.map((each) => ({ ...each, source: here(each.source) })) };
}

/** The network of the document's examples. */
const EXAMPLES_OF = 'eth-mainnet';

interface Found {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
  /** The base URL of the document's examples. */
  readonly example: string;
  readonly apiUrl: string;
}

/** One operation. Its texts are Markdown. */
function read(document: OpenApi, { path, method, operation, example, apiUrl }: Found) {
  const here = (text: string): string => text.replaceAll(example, apiUrl);
  const { tags, summary, description, parameters = [], requestBody, responses } = operation;
  const [status = '', success] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const [answer] = Object.values(success?.content ?? {});
  const [sent] = Object.values(requestBody?.content ?? {});
  return {
    /** Its name below /reference/: `get-token-balance`. */
    slug: anchorOf(summary.replaceAll(/(?<=\d),(?=\d)/g, '')),
    title: summary,
    method: method.toUpperCase(),
    path,
    group: tags[0] ?? '',
    /** The certainty of its answer, if that is about the chain's past. */
    certainty: operation['x-certainty'] ?? null,
    description: here(description),
    parameters: parameters.map(({ name, in: place, required, description: about = '', schema }) => ({
      name,
      type: place === 'query' ? typeOf(schema) : `${typeOf(schema)}, in the ${place}`,
      required,
      description: about,
    })),
    body:
      sent === undefined
        ? null
        : { types: Object.keys(requestBody?.content ?? {}), fields: fieldsOf(document, sent.schema) },
    samples: (operation['x-codeSamples'] ?? []).map(({ label, source }) => ({ label, source: here(source) })),
    answer: {
      status,
      description: success?.description ?? '',
      types: Object.keys(success?.content ?? {}),
      fields: answer === undefined ? [] : fieldsOf(document, answer.schema),
      /** As text, or null where there is none. */
      example: answer?.example === undefined ? null : here(textOf(answer.example)),
    },
    errors: Object.entries(responses)
      .filter(([code]) => /^[45]/.test(code))
      .map(([code, { description: about, content }]) => ({
        status: code,
        description: about,
        codes: Object.values(content ?? {}).flatMap(
          ({ schema }) => (schema.properties?.code?.enum ?? []) as string[],
        ),
      })),
  };
}

function textOf(example: unknown): string {
  return typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);
}

/** The fields of an object, or of all objects that it may be; those of fields follow them. */
function fieldsOf(document: OpenApi, schema: Schema, prefix = ''): readonly Field[] {
  const { $ref, anyOf, items, properties = {}, required = [] } = schema;
  if ($ref !== undefined)
    return fieldsOf(document, document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, prefix);
  if (anyOf !== undefined) return unique(anyOf.flatMap((each) => fieldsOf(document, each, prefix)));
  if (items !== undefined) return fieldsOf(document, items, `${prefix}[]`);
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const own = {
      name: path,
      type: typeOf(field),
      required: required.includes(name),
      description: field.description ?? '',
    };
    return [own, ...fieldsOf(document, field, path)];
  });
}

/** A field that several have is shown once. */
function unique(fields: readonly Field[]): readonly Field[] {
  return [...new Map(fields.toReversed().map((field) => [field.name, field])).values()].toReversed();
}

function typeOf(schema: Schema): string {
  const { type, anyOf, enum: values, items, minimum, maximum, maxItems, default: usual } = schema;
  if (schema.const !== undefined) return String(schema.const);
  if (values !== undefined) return values.join(' or ');
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (type === 'array')
    return `list of ${items === undefined ? 'anything' : typeOf(items)}${maxItems === undefined ? '' : `, at most ${maxItems.toLocaleString('en')}`}`;
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  const bounds = isBounded ? `, ${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}` : '';
  return `${[type ?? (schema.$ref === undefined ? 'any' : 'object')].flat().join(' or ')}${bounds}${usual === undefined ? '' : `; ${String(usual)} by default`}`;
}
