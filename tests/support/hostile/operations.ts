/** The operations of docs/openapi.json, and good values for their parameters. */
import { readFileSync } from 'node:fs';
import { EXAMPLE_REQUESTS, filledPath } from '@hindsight/tools/openapi/example-requests.ts';

/** An operation, as far as it has inputs. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** With a value in place of each parameter. */
  readonly path: string;
  /** Names of the query's parameters. */
  readonly parameters: readonly string[];
  /** Content types of its body. */
  readonly bodyTypes: readonly string[];
}

/** The fields of the document that are read here. */
export interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly parameters?: readonly { readonly name: string; readonly in: string }[];
            readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
          }
        >
      >
    >
  >;
}

/** Only one of each group is allowed in a query. */
const ALTERNATIVES = [
  ['block_height', 'date', 'block_hash'],
  ['step', 'points'],
];

/** Every operation of a document. */
export function operationsOf({ paths }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => ({
      operationId,
      method: method.toUpperCase(),
      path: filledPath(path),
      parameters: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
      bodyTypes: Object.keys(requestBody?.content ?? {}),
    })),
  );
}

/** Those of docs/openapi.json. */
export const OPERATIONS = operationsOf(
  JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')) as Document,
);

/** A query whose other parameters are right, so that the hostile one is read. */
export function queryAround({ operationId }: Operation, parameter: string): string {
  const alternatives = ALTERNATIVES.find((group) => group.includes(parameter)) ?? [parameter];
  const others = Object.entries(EXAMPLE_REQUESTS[operationId]?.query ?? {});
  return others.flatMap(([name, value]) => (alternatives.includes(name) ? [] : `${name}=${value}&`)).join('');
}
