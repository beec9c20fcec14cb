/** The documentation as its tests read it. */
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The repository's folder. */
export const ROOT = resolve(import.meta.dirname, '../..');

const NOT_OURS = new Set(['node_modules', 'data', 'dist', '.git', '.stack', 'coverage']);

/** Every file and folder of the repository, from its root. */
export const TREE: readonly string[] = globSync('**/*', {
  cwd: ROOT,
  exclude: (name) => NOT_OURS.has(name.split('/').at(-1) ?? ''),
}).concat(globSync('.{ci,ci/*,dependency-cruiser.cjs}', { cwd: ROOT }));

/** A Markdown file. */
export interface Page {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
  /** The text without its blocks of code. */
  readonly prose: string;
}

/** All Markdown of the repository. */
export const PAGES: readonly Page[] = TREE.filter((path) => path.endsWith('.md')).map((path) => {
  const text = readFileSync(resolve(ROOT, path), 'utf8');
  return { path, text, prose: text.replace(/^```[\s\S]*?^```$/gm, '') };
});

/** The texts between single backticks. */
export function codeIn(prose: string): string[] {
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** The text of a file. @param path from the repository's root */
export function read(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8');
}
