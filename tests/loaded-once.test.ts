import { expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Few suites load it, and it is too large for each process of tests. */
const FOR_FEW = 'services/orders/src/adapters/recover-signer.ts';
const WAITS = /^(?:export )?(?:const .* = )?await /m;

it('no other module has a top-level await, but programs and suites', () => {
  const modules = globSync('{shared,services}/*/src/**/*.ts', { cwd: ROOT });
  const waiting = modules
    .filter((path) => !/\/main\.ts$|\.test\.ts$/.test(path))
    .filter((path) => WAITS.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(waiting.sort()).toEqual([FOR_FEW, 'shared/chain/src/keccak.ts']);
});
