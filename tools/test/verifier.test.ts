import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileVerifier } from '../verifier/compile.ts';

const FOLDER = join(import.meta.dirname, '../../services/portal/public/generated');

it('the portal serves the client’s verifier as it is: npm run build:verifier', async () => {
  const compiled = await compileVerifier();
  expect(readdirSync(FOLDER).sort()).toEqual([...compiled.keys()].sort());
  for (const [name, text] of compiled)
    expect([name, readFileSync(join(FOLDER, name), 'utf8')]).toEqual([name, text]);
});
