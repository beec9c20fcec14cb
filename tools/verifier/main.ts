/**
 * `npm run build:verifier`: the client's verifier as scripts that the portal serves, for a page that checks an answer in the
 * reader's browser. A file of the client is a file here.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileVerifier } from './compile.ts';

const FOLDER = join(import.meta.dirname, '../../services/portal/public/verifier');

for (const [name, text] of await compileVerifier()) writeFileSync(join(FOLDER, name), text);
