/** Modules of the gateway: the table of operations, without the schemas that services validate with. */
import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';

/** Prints the address of each module that is loaded with the named one. */
const LIST = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  await import(process.argv[1]);
  console.log(JSON.stringify(loaded));
`;

function loadedWith(path: string): readonly string[] {
  const url = new URL(`../src/${path}`, import.meta.url).href;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', LIST, url]);
  return JSON.parse(String(printed)) as string[];
}

describe('the modules that are loaded', () => {
  it('with the whole way of a request have the table, and no schema', () => {
    const loaded = loadedWith('routes/public-api.ts');
    expect(loaded.filter((url) => url.endsWith('/api/src/operations.ts'))).toHaveLength(1);
    expect(loaded.filter((url) => /\/(?:zod|fastify[^/]*)\//.test(url))).toEqual([]);
  });

  it('with the gateway are none of a service behind it', () => {
    const loaded = loadedWith('service.ts');
    expect(loaded.filter((url) => /\/shared\/chain\/|\/services\/(?!gateway\/)/.test(url))).toEqual([]);
  });
});
