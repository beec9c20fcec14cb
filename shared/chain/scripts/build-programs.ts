/** Compiles the programs in Yul into modules: `npm run build:programs -w shared/chain`. */
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { compileYul, PROGRAMS } from './compile-yul.ts';

for (const program of Object.values(PROGRAMS)) {
  const name = basename(program.source.pathname);
  await writeFile(
    program.module,
    `/** ${name}, compiled; rebuilt by \`npm run build:programs -w shared/chain\`. */\n` +
      `export const ${program.constant} =\n  '0x${compileYul(program)}';\n`,
  );
}
