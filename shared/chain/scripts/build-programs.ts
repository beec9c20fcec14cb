/** Compiles the programs in Yul into modules: `npm run build:programs -w shared/chain`. */
import { writeFile } from 'node:fs/promises';
import { moduleOf, PROGRAMS } from './compile-yul.ts';

for (const program of Object.values(PROGRAMS)) await writeFile(program.module, moduleOf(program));
