/**
 * `npm run build:verifier`: compiles the client's verifier to scripts that the portal serves, one for each source file. Its page
 * `/check` runs them in the reader's browser.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileVerifier } from './compile.ts';

const FOLDER = join(import.meta.dirname, '../../services/portal/public/generated');

for (const [name, text] of await compileVerifier()) writeFileSync(join(FOLDER, name), text);
