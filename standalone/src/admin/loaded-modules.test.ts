/** Modules of the administration: a command loads the service or the chain that it needs, and no other command waits for it. */
import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';

const PROGRAM = new URL('program.ts', import.meta.url).href;
/** Prints the address of each module that is loaded with the program. */
const LIST = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  await import('${PROGRAM}');
  console.log(JSON.stringify(loaded));
`;

it('the administration starts without a service, a server and Ethereum', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', LIST]);
  const loaded = JSON.parse(String(printed)) as string[];
  expect(loaded).toContain(PROGRAM);
  expect(loaded.filter((url) => /\/services\/|\/(?:ethers|fastify|undici)\//.test(url))).toEqual([]);
});
