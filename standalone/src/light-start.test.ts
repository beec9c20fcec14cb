import { readdirSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

const ROOT = new URL('../../', import.meta.url);
const LIGHT_START = new URL('shared/kernel/src/light-start.ts', ROOT).href;

/** Those of some modules that bring Node's undici into a process which loads one after the other. */
function bringUndici(modules: readonly string[], flags: readonly string[]): readonly string[] {
  const program = `
    const found = [];
    process.on('exit', () => console.log('\\n' + JSON.stringify(found)));
    for (const module of ${JSON.stringify(modules)}) {
      await import(module);
      if (process.moduleLoadList.includes('NativeModule internal/deps/undici/undici')) found.push(module);
    }
    process.exit(0);
  `;
  const said = execFileSync(process.execPath, [...flags, '--input-type=module', '-e', program], {
    // No port has that name: a program reads it when all of it is loaded, and starts nothing.
    env: { PORT: 'none', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(said.trim().split('\n').at(-1)!) as string[];
}

it('no module of the whole product brings Node’s own undici with it', () => {
  const services = readdirSync(new URL('services', ROOT)).map((name) => `services/${name}`);
  const programs = ['standalone', ...services].map((one) => new URL(`${one}/src/main.ts`, ROOT).href);
  expect(programs.length).toBeGreaterThan(6);
  expect(bringUndici(['node:http'], [])).toEqual(['node:http']);
  expect(bringUndici(programs, ['--import', LIGHT_START])).toEqual([]);
});
