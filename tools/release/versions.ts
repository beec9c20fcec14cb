/** The places that have the version: every package, the lock file, and files that name the product's own artefacts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts before the version in files other than manifests. */
const NAMED: readonly (readonly [path: string, before: readonly string[]])[] = [
  ['clients/mcp/src/server.ts', ["version: '"]],
  ['clients/cli/src/run.ts', ["VERSION = '"]],
  ['clients/typescript/README.md', ['hindsight-client-']],
  ['docs/guides/packages.md', ['hindsight-client-', 'hindsight-cli-', 'hindsight-python-examples-']],
  ['docs/operations/kubernetes.md', ['hindsight:', 'tag: ']],
  ['deploy/kubernetes/base/kustomization.yaml', ['newTag: ']],
  ['deploy/helm/Chart.yaml', ['\nversion: ', 'appVersion: ']],
];

/** True if `one` comes after `other`; both are X.Y.Z. */
export function isLater(one: string, other: string): boolean {
  const [a = [], b = []] = [one, other].map((version) => version.split('.').map(Number));
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && a[at]! > b[at]!;
}

/** The version of the product: that of the package at the root. */
export function versionOf(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

/**
 * Writes the version `to` in place of `from`.
 * @param manifests the paths of every package.json, from the root
 * @throws where a file does not have what it is listed for: the list above is then out of date.
 */
export function setVersion(
  root: string,
  {
    manifests,
    from,
    to,
  }: { readonly manifests: readonly string[]; readonly from: string; readonly to: string },
): void {
  const edit = (path: string, change: (text: string) => string): void => {
    const file = join(root, path);
    const before = readFileSync(file, 'utf8');
    const after = change(before);
    if (after === before) throw new Error(`${path} does not have the version ${from}`);
    writeFileSync(file, after);
  };
  const own = new RegExp(`("(?:version|@hindsight/\\w+)": ")${RegExp.escape(from)}"`, 'g');
  for (const path of manifests) edit(path, (text) => text.replaceAll(own, `$1${to}"`));
  edit('package-lock.json', (text) =>
    lockWith(text, manifests, (entry) => entry.replaceAll(own, `$1${to}"`)),
  );
  for (const [path, places] of NAMED)
    for (const place of places) edit(path, (text) => text.replaceAll(`${place}${from}`, `${place}${to}`));
}

/** The lock file with the entries of workspaces changed; those of other packages may have the same version. */
function lockWith(text: string, manifests: readonly string[], change: (entry: string) => string): string {
  const lock = JSON.parse(text) as { version: string; packages: Record<string, unknown> };
  const changed = (value: unknown): unknown => JSON.parse(change(JSON.stringify(value, null, 1)));
  const { packages, ...rest } = lock;
  for (const path of manifests) {
    const folder = path.replace(/\/?package\.json$/, '');
    if (packages[folder] !== undefined) packages[folder] = changed(packages[folder]);
  }
  return `${JSON.stringify({ ...(changed(rest) as object), packages }, null, 2)}\n`;
}
