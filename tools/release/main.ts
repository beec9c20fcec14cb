/**
 * `npm run release -- --version X --key FILE` makes a release, and `npm run release -- publish --version X` publishes it:
 * docs/operations/release.md.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { artefactsOf, makeArtefacts } from './artefacts.ts';
import { unreleased, withRelease } from './changelog.ts';
import { publish } from './publish.ts';
import { signerOf, signFolder, verifyFolder } from './sign.ts';
import { isLater, setVersion, versionOf } from './versions.ts';

const USAGE = `usage: npm run release -- --version X.Y.Z --key FILE [--dry-run] [--tested] [--without-image] [--out FOLDER]
       npm run release -- verify --signers FILE [--out FOLDER]
       npm run release -- publish --version X.Y.Z --signers FILE [--out FOLDER]
                          [--npm-registry URL] [--image-repository NAME] [--git-remote NAME]
`;
const ROOT = process.cwd();

/** A refusal: its message is printed without a stack trace. */
class Refused extends Error {}

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
const report = (line: string): void => console.log(`release: ${line}`);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    version: { type: 'string' },
    key: { type: 'string' },
    signers: { type: 'string' },
    out: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    tested: { type: 'boolean', default: false },
    'without-image': { type: 'boolean', default: false },
    'npm-registry': { type: 'string' },
    'image-repository': { type: 'string' },
    'git-remote': { type: 'string' },
  },
});

try {
  const [command = 'make', ...rest] = positionals;
  if (rest.length > 0 || !['make', 'verify', 'publish'].includes(command)) throw new Refused(USAGE.trim());
  const version = values.version ?? versionOf(ROOT);
  const folder = resolve(values.out ?? join('release', version));
  if (command === 'make') makeRelease(version, folder);
  else verify(folder);
  if (command === 'publish') publish({ root: ROOT, folder, version }, values, report);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}

function makeRelease(version: string, folder: string): void {
  const from = versionOf(ROOT);
  const lines = refuseUnlessReady(version, from);
  const artefacts = artefactsOf(!values['without-image']);
  if (!values.tested)
    for (const script of ['check', 'test']) {
      report(`npm run ${script}`);
      try {
        execFileSync('npm', ['run', '--silent', script], {
          cwd: ROOT,
          stdio: ['ignore', 'inherit', 'inherit'],
        });
      } catch {
        throw new Refused(`npm run ${script} failed: a release needs check and test to pass`);
      }
    }
  if (values['dry-run']) {
    report(`would write ${version} in place of ${from}, and commit and tag it as v${version}`);
    for (const { what } of artefacts) report(`would make ${what} in ${folder}`);
    report(`would sign the checksums. The changelog of the release:\n${lines}`);
    return;
  }
  const before = git('rev-parse', 'HEAD');
  try {
    commitVersion(version, from);
    makeArtefacts(artefacts, { root: ROOT, version, folder }, report);
    signFolder(folder, values.key!);
    const sign = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${resolve(values.key!)}`];
    git(...sign, 'tag', '-s', `v${version}`, '-m', `v${version}`);
  } catch (error) {
    // The tree was clean, so a hard reset loses nothing.
    git('reset', '--hard', '--quiet', before);
    throw error;
  }
  report(`v${version} is in ${folder}. Others verify it by this line:\n${signerOf(values.key!).trim()}`);
}

/** Returns the lines of the changelog. */
function refuseUnlessReady(version: string, from: string): string {
  if (!/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version))
    throw new Refused(`--version: expected X.Y.Z, got ${version}`);
  if (!isLater(version, from)) throw new Refused(`--version: ${version} does not come after ${from}`);
  refuseUnlessKey();
  if (git('status', '--porcelain') !== '') throw new Refused('the tree has changes: commit them first');
  if (git('tag', '--list', `v${version}`) !== '') throw new Refused(`the tag v${version} exists`);
  const lines = unreleased(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
  if (lines === '') throw new Refused('CHANGELOG.md has nothing under "Unreleased"');
  return lines;
}

function refuseUnlessKey(): void {
  if (values['dry-run']) return;
  if (values.key === undefined) throw new Refused('--key: name an SSH key (ssh-keygen -t ed25519)');
  try {
    signerOf(values.key);
  } catch (error) {
    throw new Refused(`--key: ${values.key}: ${(error as { stderr: string }).stderr.trim()}`);
  }
}

function commitVersion(version: string, from: string): void {
  const manifests = git('ls-files', 'package.json', '*/package.json').split('\n');
  setVersion(ROOT, { manifests: manifests.filter((path) => !path.includes('/recipes/')), from, to: version });
  const changelog = join(ROOT, 'CHANGELOG.md');
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, withRelease(readFileSync(changelog, 'utf8'), version, today));
  report(`committing ${version}`);
  git('commit', '--quiet', '--all', '-m', `release: ${version}`, '-m', `CHANGELOG.md says what is in it.`);
}

function verify(folder: string): void {
  if (values.signers === undefined) throw new Refused("--signers: name the file with the signer's line");
  try {
    verifyFolder(folder, values.signers);
  } catch (error) {
    const { stdout, stderr, message } = error as Error & Partial<Record<'stdout' | 'stderr', Buffer>>;
    throw new Refused(`${folder} is not what was signed: ${[stdout, stderr].join('').trim() || message}`);
  }
  report(`${folder} is what was signed`);
}
