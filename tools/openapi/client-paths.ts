/** The paths of the TypeScript client, made of docs/openapi.json. */
import { join } from 'node:path';

/** The file that holds them. */
export const CLIENT_PATHS = join(import.meta.dirname, '../../clients/typescript/src/paths.ts');

/** The part of the document that is read. */
export interface ApiPaths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

/** Makes them as source text. */
export function makeClientPaths({ paths }: ApiPaths): string {
  const lines = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map(({ operationId }) => `  ${operationId}: '${path}',\n`),
  );
  return `/** The path of each operation: made of docs/openapi.json by \`npm run build:openapi\`. */
export const PATHS = {
${lines.join('')}} as const;

export type OperationId = keyof typeof PATHS;
`;
}
