/** Names of the product's modules, resolved without the disk, mean the modules that Node would have found. */
import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';

const OWN = new URL('own-modules.ts', import.meta.url).href;
/** Keeps each name that reaches Node: of two hooks the one that was registered first is asked last. */
const COUNT = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  globalThis.asked = [];
  registerHooks({ resolve: (name, context, next) => (asked.push(name), next(name, context)) });
`)}`;

/** Output of a program that runs in this folder, with the hook and with a count of what Node resolves. */
function run(program: string): string {
  const args = ['--import', COUNT, '--import', OWN, '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe("the product's own modules", () => {
  it('are the same by the name of their package and by their path', () => {
    const same = `console.log(await import('@hindsight/kernel/retry.ts') === await import('./retry.ts'))`;
    expect(run(same)).toBe('true\n');
  });

  it('are resolved without Node by their path, and once by a name, however many import them', () => {
    const asked = JSON.parse(
      run(`await import('@hindsight/http/server.ts'); console.log(JSON.stringify(asked))`),
    ) as string[];
    const own = asked.filter((name) => name.endsWith('.ts') && !name.startsWith('file:'));
    expect(own).toContain('@hindsight/kernel/errors.ts');
    expect(own.filter((name) => name.startsWith('.'))).toEqual([]);
    expect(new Set(own).size).toBe(own.length);
  });

  it('and those of libraries are resolved without Node where they import each other by their path', () => {
    const asked = JSON.parse(
      run(`const { z } = await import('zod'); console.log(JSON.stringify(z.string() && asked))`),
    ) as string[];
    expect(asked).toContain('zod');
    expect(asked.filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('are told by their path where one does not exist', () => {
    expect(run(`await import('./no-such-module.ts')`)).toContain(`${import.meta.dirname}/no-such-module.ts`);
  });

  it('leave to Node what is exported by a package, and what is not', () => {
    const refused = run(`await import('@hindsight/kernel/no-such-module.ts')`);
    expect(refused).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});
