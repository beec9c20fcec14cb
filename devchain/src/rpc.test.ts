import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

it('brings only the parts of undici that it uses', () => {
  const program = `
    await import('./rpc.ts');
    const { createRequire } = await import('node:module');
    console.log(Object.keys(createRequire(import.meta.url).cache).join('\\n'));
  `;
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect(loaded).toContain('/undici/lib/dispatcher/client.js');
  expect(loaded).not.toContain('/undici/index.js');
});
