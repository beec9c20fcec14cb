/** The section of a release in CHANGELOG.md. */
const UNRELEASED = '## Unreleased\n';

/** Lines below "Unreleased", up to the newest release; empty where there are none. */
export function unreleased(changelog: string): string {
  const [, after] = changelog.split(UNRELEASED);
  if (after === undefined) throw new Error('CHANGELOG.md has no "## Unreleased"');
  return after.split(/^## /m)[0]!.trim();
}

/** The changelog with those lines under the release, and "Unreleased" empty. */
export function withRelease(changelog: string, version: string, date: string): string {
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n## ${version} (${date})\n`);
}
