/**
 * The flags of `npm test`: V8's compilation cache keeps each module that jest makes, and by it all that its suite has
 * loaded. Workers then grow with each suite, collect ever more garbage, and are replaced.
 */
import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MODULES = 40;
const MODULE_MIB = 1;
const PROGRAM = `
  import { setImmediate } from 'node:timers/promises';
  import { SourceTextModule } from 'node:vm';
  for (let i = 0; i < ${MODULES}; i++) {
    new SourceTextModule('export const text = "' + String(i).padEnd(${MODULE_MIB} * 2 ** 20) + '";');
    await setImmediate();
  }
  gc();
  console.log(process.memoryUsage().heapUsed / 2 ** 20);
`;

/** MiB that a process with these flags holds after it has dropped all of its modules. */
function mibHeld(flags: readonly string[]): number {
  const all = [...flags, '--expose-gc', '--input-type=module', '--eval', PROGRAM];
  const { stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8' });
  if (stdout === '') throw new Error(`no memory was printed: ${stderr}`);
  return Number(stdout);
}

it('a worker of npm test frees the modules of finished suites', () => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
    scripts: { test: string };
  };
  const flags = scripts.test.split(' ').filter((word) => word.startsWith('--'));

  expect(mibHeld(flags)).toBeLessThan((MODULES * MODULE_MIB) / 2);
  expect(mibHeld(flags.filter((flag) => flag !== '--no-compilation-cache'))).toBeGreaterThan(
    MODULES * MODULE_MIB,
  );
});
