/**
 * `npm run lines [-- COMMIT …]`: lines of source by package, for commits (HEAD by default) side by side. Counted are the
 * files in `src/` of services, shared packages and the standalone: TypeScript and Yul, blank lines and comments too, tests
 * left out. Clients, the dev chain and tools stand below the sum.
 */
import { execFileSync } from 'node:child_process';

const GENERATED = 'clients/typescript/src/openapi.ts';
const COUNTED = ['services', 'shared', 'standalone'];
const BESIDE = ['clients', 'devchain', 'tools'];
const LIMIT = 256 * 1024 * 1024;

const git = (args: readonly string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: LIMIT });

/** The package that a path is source of; undefined for anything else. */
function packageOf(path: string): string | undefined {
  if (!/\.(?:ts|yul)$/.test(path) || /\.test\.ts$|\/test\//.test(path) || path === GENERATED)
    return undefined;
  if (path.startsWith('tools/')) return 'tools';
  return /^((?:[^/]+\/)?[^/]+)\/src\//.exec(path)?.[1];
}

function linesAt(commit: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  // Each line of `git grep -c ''` is COMMIT:PATH:COUNT.
  for (const row of git(['grep', '-c', '', commit, '--', '*.ts', '*.yul']).trim().split('\n')) {
    const [path = '', count] = row.slice(commit.length + 1).split(':');
    const name = packageOf(path);
    if (name !== undefined) lines.set(name, (lines.get(name) ?? 0) + Number(count));
  }
  return lines;
}

const commits = process.argv.length > 2 ? process.argv.slice(2) : ['HEAD'];
const counts = commits.map(linesAt);
const names = [...new Set(counts.flatMap((count) => [...count.keys()]))].sort();
const isOf = (folders: readonly string[]) => (name: string) =>
  folders.some((folder) => name === folder || name.startsWith(`${folder}/`));
const row = (chosen: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    commits.map((commit, at) => [
      commit,
      chosen.reduce((sum, name) => sum + (counts[at]!.get(name) ?? 0), 0),
    ]),
  );

console.table({
  ...Object.fromEntries(names.filter(isOf(COUNTED)).map((name) => [name, row([name])])),
  source: row(names.filter(isOf(COUNTED))),
  ...Object.fromEntries(names.filter(isOf(BESIDE)).map((name) => [name, row([name])])),
});
