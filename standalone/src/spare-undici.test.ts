import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

/** True if Node's undici is in a process that has run some lines, which may import from here. */
function hasUndici(...lines: readonly string[]): boolean {
  const report = `console.log(process.moduleLoadList.includes('NativeModule internal/deps/undici/undici'))`;
  const program = [...lines, report].join('\n');
  const cwd = import.meta.dirname;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd,
    encoding: 'utf8',
  });
  return said.trim() === 'true';
}

const SPARED = `import { spareUndici } from './spare-undici.ts'; spareUndici();`;

it('no module of the whole product brings Node’s own undici with it', () => {
  expect(hasUndici(`await import('node:http');`)).toBe(true);
  expect(hasUndici(SPARED, `await import('node:http');`)).toBe(false);
  expect(hasUndici(SPARED, `await import('./hindsight.ts');`)).toBe(false);
}, 120_000);
