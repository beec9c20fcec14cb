import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';
import { keepCompiled, type ModuleCompilers } from './compiled-modules.ts';

/** Compilers that keep what they compile, and say what was kept of the last one. */
function keeping(): ModuleCompilers & { readonly used: boolean | undefined } {
  let used: boolean | undefined;
  const compilers = {
    SourceTextModule: class extends vm.SourceTextModule {
      constructor(...[source, options]: ConstructorParameters<typeof vm.SourceTextModule>) {
        super(source, options);
        used = options?.cachedData !== undefined;
      }
    },
    compileFunction: (...[source, parameters, options]: Parameters<typeof vm.compileFunction>) => {
      const compiled = vm.compileFunction(source, parameters, options);
      used = options?.cachedData !== undefined && compiled.cachedDataRejected === false;
      return compiled;
    },
    get used() {
      return used;
    },
  };
  keepCompiled(compilers);
  return compilers;
}

async function exportOf(compilers: ModuleCompilers, source: string, identifier: string): Promise<unknown> {
  const module = new compilers.SourceTextModule(source, { identifier });
  await module.link(() => Promise.reject(new Error('it imports nothing')));
  await module.evaluate();
  return (module.namespace as { value: unknown }).value;
}

it('a module is compiled once, and again when its source has changed', async () => {
  const compilers = keeping();
  expect(await exportOf(compilers, 'export const value = 1;', 'a.ts')).toBe(1);
  expect(compilers.used).toBe(false);
  expect(await exportOf(compilers, 'export const value = 1;', 'a.ts')).toBe(1);
  expect(compilers.used).toBe(true);
  expect(await exportOf(compilers, 'export const value = 2;', 'a.ts')).toBe(2);
  expect(compilers.used).toBe(false);
});

it('a module that was compiled under other flags of V8 is compiled again', async () => {
  const compilers = keeping();
  await exportOf(compilers, 'export const value = 1;', 'a.ts');
  setFlagsFromString('--no-allocation-site-pretenuring');
  try {
    expect(await exportOf(compilers, 'export const value = 1;', 'a.ts')).toBe(1);
    expect(compilers.used).toBe(false);
    await exportOf(compilers, 'export const value = 1;', 'a.ts');
    expect(compilers.used).toBe(true);
  } finally {
    setFlagsFromString('--allocation-site-pretenuring');
  }
});

it('a function is compiled once, and again when its source has changed', () => {
  const compilers = keeping();
  const resultOf = (source: string): unknown =>
    (compilers.compileFunction(source, ['x'], { filename: 'a.js' }) as (x: number) => unknown)(2);
  expect(resultOf('return x + 1')).toBe(3);
  expect(compilers.used).toBe(false);
  expect(resultOf('return x + 1')).toBe(3);
  expect(compilers.used).toBe(true);
  expect(resultOf('return x + 2')).toBe(4);
  expect(compilers.used).toBe(false);
});

it('jest without the flags of `npm test` is refused with the command to use', () => {
  const program = ['--input-type=module', '--eval', "await import('./environment.ts')"];
  const { stderr } = spawnSync(process.execPath, program, { cwd: import.meta.dirname, encoding: 'utf8' });
  expect(stderr).toContain('Run tests by `npm test -- FILE`');
});
