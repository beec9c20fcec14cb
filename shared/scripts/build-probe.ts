/** Compiles probe.yul into program.ts: `npm run build:probe -w shared`. */
import { readFile, writeFile } from 'node:fs/promises';
import { compileProbe } from './compile-probe.ts';

const folder = new URL('../src/chain/probe/', import.meta.url);
const code = compileProbe(await readFile(new URL('probe.yul', folder), 'utf8'));
await writeFile(
  new URL('program.ts', folder),
  `/** probe.yul, compiled; rebuilt by \`npm run build:probe -w shared\`. */\nexport const PROBE_CODE =\n  '0x${code}';\n`,
);
