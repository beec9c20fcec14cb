/** The types of the TypeScript client, made of docs/openapi.json. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const LIMIT = 64 * 1024 * 1024;

/** The file that holds them. */
export const CLIENT_TYPES = join(ROOT, 'clients/typescript/src/openapi.ts');

/** Makes them as source text. @param folder where `openapi-typescript` is installed */
export async function makeClientTypes(folder: string): Promise<string> {
  const command = join(folder, 'node_modules/.bin/openapi-typescript');
  const { stdout } = await promisify(execFile)(command, ['docs/openapi.json'], {
    cwd: ROOT,
    maxBuffer: LIMIT,
  });
  return stdout;
}
