/** Builds one OpenAPI 3.1 document from the services' descriptions of their routes. */
import { CERTAINTIES } from '@hindsight/api/operations.ts';
import { ERROR_CASES, ERROR_CODES, type ErrorCode } from '@hindsight/kernel/error-codes.ts';
import { answerBody, errorBody, type ErrorStatus } from '@hindsight/kernel/errors.ts';
import type { ApiOperation } from '@hindsight/http/api-operation.ts';
import { z } from 'zod';
import { filledPath } from './example-requests.ts';
import type { SampleRequest } from './samples/request.ts';
import { samplesOf } from './samples/samples.ts';
import {
  COMMON_CODES,
  COMMON_ERRORS,
  ERROR_HEADERS,
  ERROR_SCHEMA,
  EXAMPLE_ID,
  HEADERS,
  INFO,
  LIMIT_HEADERS,
  SECURITY_SCHEMES,
  TAGS,
  type HeaderName,
  type Json,
} from './parts.ts';

/** Recorded requests and answers of a route. */
export interface RecordedExample {
  /** The query that was sent, and the body. */
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly answer: unknown;
  /** Error bodies by status. */
  readonly errors: Readonly<Record<string, unknown>>;
}

/** By `operationId`. */
export type RecordedExamples = Readonly<Record<string, RecordedExample>>;

/** The document. @param server the base URL of the gateway */
export function openApiOf(
  operations: readonly ApiOperation[],
  examples: RecordedExamples,
  server: string,
): Json {
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: server }],
    security: Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] })),
    tags: TAGS,
    paths: Object.assign(
      {},
      ...operations.flatMap((operation) => pathsOf(operation, examples, server)),
    ) as Json,
    components: {
      schemas: {
        ...Object.fromEntries(
          operations
            .flatMap(({ success }) => [
              success,
              ...(success.otherLines ?? []),
              ...(success.json ? [success.json] : []),
            ])
            .map(({ name, schema }) => [name, jsonSchema(schema, 'output')]),
        ),
        Error: ERROR_SCHEMA,
      },
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** A route's path as OpenAPI writes it: `/v1/{network}/token`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)(\([^)]*\))?/g, '{$1}');
}

function pathsOf(operation: ApiOperation, examples: RecordedExamples, server: string): Json[] {
  const { path, method, operationId } = operation;
  return [
    { [templateOf(path)]: { [method.toLowerCase()]: describe(operation, examples[operationId], server) } },
  ];
}

function describe(operation: ApiOperation, example: RecordedExample | undefined, server: string): Json {
  const { tag, summary, description, operationId, body, bodyTypes, certainty = 'state' } = operation;
  const parameters = [
    ...parametersOf('path', operation.params, {}),
    ...parametersOf('query', operation.querystring, example?.query ?? {}),
    ...(operation.success.cacheable ? [IF_NONE_MATCH] : []),
  ];
  return {
    tags: [tag],
    summary,
    description,
    operationId,
    ...(certainty === null ? {} : { 'x-certainty': CERTAINTIES[certainty] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(body, bodyTypes, example?.body) }),
    responses: responsesOf(operation, example),
    'x-codeSamples': samplesOf(sampleOf(operation, example, server)),
  };
}

function sampleOf(
  { method, path, bodyTypes, success }: ApiOperation,
  example: RecordedExample | undefined,
  server: string,
): SampleRequest {
  const { query = {}, body } = example ?? {};
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    method,
    url: server + filledPath(templateOf(path)),
    query,
    body: body === undefined ? undefined : { type: bodyTypes?.[0] ?? 'application/json', text },
    lines: success.lines !== undefined,
    file: success.file?.name,
  };
}

const IF_NONE_MATCH: Json = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'An ETag of a former answer: 304 where it still holds, which is not counted',
};

function parametersOf(
  place: 'path' | 'query',
  schema: z.ZodObject | undefined,
  examples: Readonly<Record<string, string>>,
): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    description,
    schema: rest,
    ...(examples[name] === undefined ? {} : { example: typed(rest, examples[name]) }),
  }));
}

/** An example as its schema has it: parameters are sent as text. */
function typed({ type }: Json, text: string): unknown {
  if (type === 'array') return text.split(',');
  return type === 'integer' ? Number(text) : text;
}

/** An example is of the first type. */
function requestBody(
  schema: z.ZodType,
  types: readonly string[] = ['application/json'],
  example: unknown,
): Json {
  const described = { schema: jsonSchema(schema, 'input') };
  const media = types.map((type, i) => [
    type,
    i > 0 || example === undefined ? described : { ...described, example },
  ]);
  return { required: true, content: Object.fromEntries(media) as Json };
}

function responsesOf(
  { success, errors, codes: own }: ApiOperation,
  example: RecordedExample | undefined,
): Json {
  const {
    status,
    description,
    name,
    cacheable,
    lines,
    otherLines = [],
    json,
    file,
    alternatives = [],
  } = success;
  const schemas = [name, ...otherLines.map((other) => other.name)].map(refTo);
  const described = { schema: schemas.length > 1 ? { anyOf: schemas } : schemas[0] };
  const media = { ...described, ...(example === undefined ? {} : { example: example.answer }) };
  // The example of an answer in lines is in the first of its types.
  const content = lines
    ? {
        ...Object.fromEntries(
          lines.map((type, i) => [type, i === 0 ? media : { schema: { type: 'string' } }]),
        ),
        ...(json ? { 'application/json': { schema: refTo(json.name) } } : {}),
      }
    : {
        'application/json': media,
        ...Object.fromEntries(alternatives.map((type) => [type, { schema: { type: 'string' } }])),
      };
  const cacheHeaders: HeaderName[] = cacheable ? ['ETag', 'Cache-Control'] : [];
  const refusals = Object.entries({ ...COMMON_ERRORS, ...errors }).map(([code, when]): [string, Json] => {
    const status = Number(code) as ErrorStatus;
    return [code, refusal(status, when, codesOf(status, own), example?.errors[code])];
  });
  return {
    [status]: {
      description,
      headers: {
        ...headersOf([...LIMIT_HEADERS, ...cacheHeaders]),
        ...(file
          ? { [file.facts]: { description: 'The facts', content: { 'application/json': media } } }
          : {}),
      },
      content: file ? { [file.type]: { schema: { type: 'string', format: 'binary' } } } : content,
    },
    ...(cacheable
      ? { 304: { description: 'Not modified', headers: headersOf([...LIMIT_HEADERS, ...cacheHeaders]) } }
      : {}),
    ...Object.fromEntries(refusals),
    default: refused('Any other refusal, in the same shape', ['x-request-id'], undefined),
  };
}

function refTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** The codes of a status that a route may answer with. */
function codesOf(status: ErrorStatus, own: readonly ErrorCode[]): readonly ErrorCode[] {
  const known = [...new Set([...own, ...COMMON_CODES])].filter((code) => ERROR_CASES[code].status === status);
  return known.length > 0 ? known : ERROR_CODES.filter((code) => ERROR_CASES[code].status === status);
}

function refusal(status: ErrorStatus, when: string, codes: readonly ErrorCode[], recorded: unknown): Json {
  const headers: HeaderName[] = ['x-request-id', ...(ERROR_HEADERS[status] ?? [])];
  const example =
    recorded ?? answerBody(errorBody(codes[0]!, when.endsWith('.') ? when : `${when}.`), EXAMPLE_ID);
  return refused(when, headers, example, { properties: { code: { enum: codes } } });
}

function refused(
  description: string,
  headers: readonly HeaderName[],
  example: unknown,
  narrower: Json = {},
): Json {
  const media = {
    schema: { $ref: '#/components/schemas/Error', ...narrower },
    ...(example === undefined ? {} : { example }),
  };
  return { description, headers: headersOf(headers), content: { 'application/json': media } };
}

function headersOf(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // Answers may gain fields: a client that refused them would break.
    override({ jsonSchema: made }) {
      if (io === 'output' && made.additionalProperties === false) delete made.additionalProperties;
      // That a number is exact says nothing of what it means.
      if (io === 'output' && made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
      if (io === 'output' && made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
    },
  });
  return rest;
}
