import { Turns } from '@hindsight/kernel/turns.ts';
import { expect, it } from '@jest/globals';
import { Interface } from 'ethers';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WAITING } from './shared-modules.ts';

const ROOT = join(import.meta.dirname, '..');
const WAITS = /^(?:export )?(?:const .* = )?await /m;

it('a suite has the modules of its process', () => {
  const { hindsightModule: loaded } = globalThis as unknown as { hindsightModule: (path: string) => object };
  expect(loaded(join(ROOT, 'shared/kernel/src/turns.ts'))).toHaveProperty('Turns', Turns);
  expect(loaded(fileURLToPath(import.meta.resolve('ethers')))).toHaveProperty('Interface', Interface);
});

it('no other module has a top-level await, but programs and suites', () => {
  const modules = globSync('{shared,services}/*/src/**/*.ts', { cwd: ROOT });
  const waiting = modules
    .filter((path) => !/\/main\.ts$|\.test\.ts$/.test(path))
    .filter((path) => WAITS.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(waiting.sort()).toEqual([...WAITING].sort());
});
