/** Fills the table of docs/operations/licences.md: the licence of each package that is installed. */
import { installedBy, readLock, type Lock } from '../sbom/installed.ts';

const TABLE = /(<!-- licences -->\n)[\s\S]*?(<!-- end -->)/;

/** SPDX expressions that were looked at: what has one may be used and passed on with Hindsight. Add one only after a look. */
const ACCEPTED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT OR Apache-2.0',
  'MIT OR CC0-1.0',
  'MIT-0',
  // Of typefaces: they may be served, and not sold by themselves.
  'OFL-1.1',
]);

/**
 * The page with its table as it must be.
 * @throws for a package without a licence, or with one that was not accepted
 */
export function fillLicences(page: string, lock: Lock = readLock()): string {
  const packages = [...installedBy(lock).values()]
    .filter(({ isOwn }) => !isOwn)
    .map(({ name, version, licence = 'no licence' }) => ({ name: `${name} ${version}`, licence }));
  const refused = packages.filter(({ licence }) => !ACCEPTED.has(licence));
  if (refused.length > 0)
    throw new Error(`not accepted: ${refused.map(({ name, licence }) => `${name} (${licence})`).join(', ')}`);
  const byLicence = [...Map.groupBy(packages, ({ licence }) => licence)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  const rows = byLicence.map(([licence, own]) => {
    const names = [...new Set(own.map(({ name }) => name))].sort();
    return `| ${licence} | ${names.length} | ${names.join(', ')} |`;
  });
  const table = ['| licence | packages | which |', '| --- | --- | --- |', ...rows].join('\n');
  return page.replace(
    TABLE,
    (_, start: string, end: string) => `${start}\n<!-- prettier-ignore -->\n${table}\n\n${end}`,
  );
}
