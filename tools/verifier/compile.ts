import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import typescript from 'typescript';

const SOURCES = join(import.meta.dirname, '../../clients/typescript/src/verify');
const OPTIONS = {
  target: typescript.ScriptTarget.ES2022,
  module: typescript.ModuleKind.ESNext,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
  removeComments: true,
};

/** The page checks one answer at a time. */
const UNUSED = 'snapshot.ts';

/** Names and texts of the scripts. */
export async function compileVerifier(): Promise<ReadonlyMap<string, string>> {
  const names = readdirSync(SOURCES).filter((name) => !name.endsWith('.test.ts') && name !== UNUSED);
  const style = await resolveConfig(join(SOURCES, 'verify.ts'));
  const compiled = new Map<string, string>();
  for (const name of names) {
    const { outputText } = typescript.transpileModule(readFileSync(join(SOURCES, name), 'utf8'), {
      compilerOptions: OPTIONS,
    });
    const own = name.replace(/\.ts$/, '.js');
    const text = `/* Written by npm run build:verifier, from clients/typescript/src/verify/${name}. */\n${outputText}`;
    compiled.set(own, await format(text, { ...style, filepath: own }));
  }
  return compiled;
}
