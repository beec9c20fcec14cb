/** Parses parameters to a typed value, or to one clear sentence. */
import type { FastifySchemaCompiler } from 'fastify';
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { ApiError, badRequest } from '@hindsight/kernel/errors.ts';
import type { CodeOf, ErrorCode } from '@hindsight/kernel/error-codes.ts';

/**
 * The `params` of a custom zod issue with another code than 400's, such as a 404; its message is the whole
 * text.
 */
export function faultOf(code: ErrorCode): { readonly code: ErrorCode } {
  return { code };
}

/**
 * Fastify's validator for zod schemas. The first fault becomes a 400 that names the field, the fault and the
 * expectation. Unknown and repeated parameters are faults, because a typo must never silently mean "latest".
 */
export const validateWithZod: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  return (data: unknown) => {
    return httpPart === 'querystring' ? parseParameters(schema, data) : parseWith(schema, data);
  };
};

/** Parses a query as the server does. @param query without the question mark @throws {ApiError} 400 with the first fault */
export function parseQuery<S extends z.ZodType>(schema: S, query: string): z.output<S> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = values.get(name);
    if (Array.isArray(before)) before.push(value);
    else values.set(name, before === undefined ? value : [before, value]);
  }
  const parsed = parseParameters(schema, Object.fromEntries(values));
  if ('error' in parsed) throw parsed.error;
  return parsed.value;
}

function parseParameters<S extends z.ZodType>(schema: S, data: unknown): ReturnType<typeof parseWith<S>> {
  const repeated = firstRepeated(data, schema);
  if (repeated === undefined) return parseWith(schema, data);
  const message = `${shortened(repeated)}: given more than once; expected once`;
  return { error: badRequest(message, 'repeated_parameter') };
}

/** Parses data as it does a request's. @throws {ApiError} 400 with the first fault */
export function parseWith<S extends z.ZodType>(
  schema: S,
  data: unknown,
): { readonly value: z.output<S> } | { readonly error: ApiError } {
  const result = schema.safeParse(data, { reportInput: true });
  if (result.success) return { value: result.data };
  const issue = result.error.issues[0];
  return { error: toError(issue, knownAt(schema, issue?.path ?? [])) };
}

/** The fields of the object at a path; undefined where they are not told by the schema alone. */
function knownAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] | undefined {
  let at: unknown = schema;
  for (const step of path) {
    at = unwrapped(at);
    at =
      at instanceof z.ZodArray ? at.element : at instanceof z.ZodObject ? at.shape[String(step)] : undefined;
  }
  at = unwrapped(at);
  return at instanceof z.ZodObject ? Object.keys(at.shape) : undefined;
}

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap())
    : schema;
}

function toError(issue: z.core.$ZodIssue | undefined, known: readonly string[] | undefined): ApiError {
  if (issue?.code === 'custom' && issue.params !== undefined)
    return new ApiError((issue.params as { code: ErrorCode }).code, issue.message);
  if (isNoObject(issue))
    return issue.input === null
      ? badRequest(`body: it is empty; ${OBJECT_EXPECTED}`, 'invalid_body')
      : badRequest(`body: ${OBJECT_EXPECTED}`);
  return new ApiError(codeOf(issue), describe(issue, known));
}

const OBJECT_EXPECTED = 'expected a JSON object';

/** True if the whole is no object, and its schema has no words of its own for that. An empty body is null. */
function isNoObject(issue: z.core.$ZodIssue | undefined): issue is z.core.$ZodIssueInvalidType {
  if (issue?.code !== 'invalid_type' || issue.expected !== 'object' || issue.path.length > 0) return false;
  return issue.input !== undefined && issue.message.startsWith('Invalid input');
}

function codeOf(issue: z.core.$ZodIssue | undefined): CodeOf<400> {
  if (issue?.code === 'unrecognized_keys') return 'unknown_parameter';
  if (issue?.code !== 'invalid_type' || issue.input !== undefined) return 'invalid_parameter';
  return issue.path.length === 0 ? 'invalid_body' : 'missing_parameter';
}

/** A parameter that is documented as an array may be repeated. */
function firstRepeated(data: unknown, schema: z.ZodType): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const shape = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
  const isList = (name: string): boolean => shape[name]?.meta()?.type === 'array';
  return Object.entries(data).find(([name, value]) => Array.isArray(value) && !isList(name))?.[0];
}

function describe(issue: z.core.$ZodIssue | undefined, known: readonly string[] | undefined): string {
  if (issue === undefined) return 'the request is malformed';
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return `${field === '' ? '' : `${field}: `}${describeUnknown(issue.keys[0] ?? '', known)}`;
  if (issue.code === 'invalid_type' && issue.input === undefined) return `${field || 'the body'} is required`;
  return field === '' ? issue.message : `${field}: ${issue.message}`;
}

function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

function describeUnknown(name: string, known: readonly string[] | undefined): string {
  const shown = shortened(name);
  if (known === undefined) return `unknown parameter ${shown}`;
  const meant = nearest(name, known);
  if (known.length === 0) return `unknown parameter ${shown}; expected none`;
  const hint = meant === undefined ? `known: ${known.join(', ')}` : `did you mean ${meant}?`;
  return `unknown parameter ${shown}; ${hint}`;
}

/** The known name that the given one most likely misspells, if any is near. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 60) return undefined;
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const scored = known
    .map((candidate) => ({ candidate, edits: distance(plain(name), plain(candidate)) }))
    .sort((a, b) => a.edits - b.edits)[0];
  return scored !== undefined && scored.edits <= Math.max(2, scored.candidate.length / 3)
    ? scored.candidate
    : undefined;
}
