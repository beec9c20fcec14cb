/** A release made in a repository of its own by the documented commands, verified, and refused after a changed byte. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/operations/release.md'), 'utf8');
const VERSION = '99.0.0';

const folder = mkdtempSync(join(tmpdir(), 'hindsight-release-'));
const root = join(folder, 'clone');
const key = join(folder, 'key');
const out = join(folder, 'out');
const signers = join(folder, 'hindsight-signers');

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
const release = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, ['tools/release/main.ts', ...args], { cwd: root, encoding: 'utf8' });
const make = (...args: string[]): ReturnType<typeof release> =>
  release('--version', VERSION, '--key', key, '--out', out, '--without-image', ...args);

/** This tree as a repository with one commit, and the packages that are installed here. */
function makeClone(): void {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  for (const path of list.toString().split('\0').filter(Boolean)) {
    if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(root, path), { verbatimSymlinks: true });
  }
  git('init', '--quiet', '--initial-branch=main');
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  appendFileSync(join(root, '.git/info/exclude'), 'node_modules\n');
  git('config', 'user.name', 'Release');
  git('config', 'user.email', 'release@example.com');
  const changelog = join(root, 'CHANGELOG.md');
  writeFileSync(
    changelog,
    readFileSync(changelog, 'utf8').replace(
      /^## Unreleased\n[^]*?(?=^## )/m,
      '## Unreleased\n\n- A new thing.\n\n',
    ),
  );
  git('add', '--all');
  git('commit', '--quiet', '-m', 'house: the tree');
}

/** The commands below a heading of the page, with the reader's own places. */
const commandsOf = (heading: string): string => {
  const [, code = ''] = new RegExp(`^## ${heading}\\n[^]*?\`\`\`sh\\n([^]*?)\`\`\``, 'm').exec(PAGE) ?? [];
  expect(code).not.toBe('');
  return code;
};

beforeAll(() => {
  makeClone();
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'release', '-f', key]);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('npm run release, before it makes anything', () => {
  it.each([
    { args: ['--version', '1.2'], says: /expected X\.Y\.Z, got 1\.2/ },
    { args: ['--version', '0.1.9'], says: /0\.1\.9 does not come after/ },
    { args: ['--version', VERSION], says: /--key: name an SSH key/ },
    { args: ['--version', VERSION, '--key', 'none'], says: /--key: none: .*No such file/ },
    { args: ['make', 'more'], says: /usage: npm run release/ },
    { args: ['verify', '--version', VERSION], says: /--signers: name the file/ },
    { args: ['verify', '--version', VERSION, '--signers', 'none'], says: /no such file.*SHA256SUMS/ },
  ])('refuses $args', ({ args, says }) => {
    expect(release(...args)).toMatchObject({ status: 1, stderr: expect.stringMatching(says) });
  });

  it('refuses a tree with changes', () => {
    writeFileSync(join(root, 'new.txt'), 'new');
    expect(make('--tested')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/the tree has changes/),
    });
    rmSync(join(root, 'new.txt'));
  });

  it('refuses a tree that is not green, and leaves it as it was', () => {
    const manifest = join(root, 'package.json');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace(/"check": ".*?[^\\]",\n/, '"check": "exit 1",\n'));
    git('commit', '--quiet', '--all', '-m', 'ci: red');
    const head = git('rev-parse', 'HEAD');
    expect(make()).toMatchObject({ status: 1, stderr: expect.stringMatching(/npm run check failed/) });
    expect(git('rev-parse', 'HEAD')).toBe(head);
    git('reset', '--hard', '--quiet', 'HEAD~');
  });

  it('shows with --dry-run what it would do, and changes nothing', () => {
    const head = git('rev-parse', 'HEAD');
    const { status, stdout } = make('--tested', '--dry-run');
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('- A new thing.'),
    });
    expect(stdout).toContain(`tag it as v${VERSION}`);
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(git('status', '--porcelain')).toBe('');
    expect(existsSync(out)).toBe(false);
  });

  it('goes back to where it was if it fails after its commit', () => {
    const head = git('rev-parse', 'HEAD');
    const { status, stdout } = make('--tested', '--out', join(key, 'no-folder'));
    expect(status).not.toBe(0);
    expect(stdout).toContain(`committing ${VERSION}`);
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('tag')).toBe('');
  });
});

describe('a release', () => {
  beforeAll(() => {
    const { status, stdout, stderr } = make('--tested');
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const [, line = ''] = /^(release@hindsight .*)$/m.exec(stdout) ?? [];
    writeFileSync(signers, `${line}\n`);
  });

  it('has every artefact, and their checksums', () => {
    const files = readdirSync(out).sort();
    expect(files).toEqual([
      'SHA256SUMS',
      'SHA256SUMS.sig',
      `hindsight-${VERSION}.tar.gz`,
      `hindsight-chart-${VERSION}.tgz`,
      `hindsight-cli-${VERSION}.tgz`,
      `hindsight-client-${VERSION}.tgz`,
      `hindsight-mcp-${VERSION}.tgz`,
      `hindsight-python-examples-${VERSION}.tgz`,
      'index.json',
      'sbom.cdx.json',
    ]);
    const listed = readFileSync(join(out, 'SHA256SUMS'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('  ')[1]);
    expect(listed).toEqual(files.filter((file) => !file.startsWith('SHA256SUMS')));
  });

  it('is one commit that sets the version in manifests, lock file and changelog', () => {
    expect(git('log', '-1', '--format=%s')).toBe(`release: ${VERSION}\n`);
    expect(git('status', '--porcelain')).toBe('');
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    expect(changelog).toMatch(/^## Unreleased\n\n## 99\.0\.0 \(\d{4}-\d\d-\d\d\)\n\n- A new thing\.$/m);
    const { version } = JSON.parse(readFileSync(join(root, 'clients/cli/package.json'), 'utf8')) as {
      version: string;
    };
    expect(version).toBe(VERSION);
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string; dependencies?: Record<string, string> }>;
    };
    expect(lock.packages['services/gateway']).toMatchObject({
      version: VERSION,
      dependencies: { '@hindsight/http': VERSION },
    });
    const changed = git('show', '--format=', '--numstat', 'HEAD', '--', 'package-lock.json').split('\t');
    expect(changed[0]).toBe(changed[1]);
  });

  it('has source and chart of that version', () => {
    const read = (file: string, path: string): string =>
      execFileSync('tar', ['-xzOf', join(out, file), path], { encoding: 'utf8' });
    expect(read(`hindsight-${VERSION}.tar.gz`, `hindsight-${VERSION}/package.json`)).toContain(
      `"version": "${VERSION}"`,
    );
    expect(read(`hindsight-chart-${VERSION}.tgz`, 'hindsight/Chart.yaml')).toContain(
      `appVersion: ${VERSION}`,
    );
    expect(read(`hindsight-cli-${VERSION}.tgz`, 'package/package.json')).toContain(`"version": "${VERSION}"`);
  });

  it('is verified by the commands of the page, its tag too', () => {
    const commands = commandsOf('Verify one');
    const run = spawnSync('bash', ['-euc', commands], { cwd: out, encoding: 'utf8' });
    expect({ status: run.status, stdout: run.stdout, stderr: run.stderr }).toMatchObject({ status: 0 });
    expect(run.stdout).toContain('Good "hindsight-release" signature');
    const tag = spawnSync(
      'git',
      ['-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-tag', `v${VERSION}`],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    expect(tag).toMatchObject({ status: 0, stderr: expect.stringContaining('Good "git" signature') });
    expect(release('verify', '--out', out, '--signers', signers)).toMatchObject({ status: 0 });
  });

  it.each([
    { changed: `hindsight-cli-${VERSION}.tgz`, says: /is not what was signed.*FAILED/s },
    { changed: 'SHA256SUMS', says: /is not what was signed.*incorrect signature/is },
  ])('is refused with one byte of $changed changed', ({ changed, says }) => {
    const copy = join(folder, `changed-${changed}`);
    cpSync(out, copy, { recursive: true });
    const bytes = readFileSync(join(copy, changed));
    bytes[20]! ^= 1;
    writeFileSync(join(copy, changed), bytes);
    expect(release('verify', '--out', copy, '--signers', signers)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(says),
    });
    expect(spawnSync('bash', ['-euc', commandsOf('Verify one')], { cwd: copy }).status).not.toBe(0);
  });

  it('is refused if another key signed it', () => {
    const other = join(folder, 'other');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', other]);
    const [type, value] = readFileSync(`${other}.pub`, 'utf8').split(' ');
    writeFileSync(`${other}.signers`, `release@hindsight ${type} ${value}\n`);
    expect(release('verify', '--out', out, '--signers', `${other}.signers`)).toMatchObject({ status: 1 });
  });

  it('is not made twice', () => {
    expect(make('--tested')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/does not come after/),
    });
  });

  it('is published nowhere unless a place is named, and to a git remote that is', () => {
    const published = release('publish', '--version', VERSION, '--out', out, '--signers', signers);
    expect(published).toMatchObject({ status: 0 });
    const lines = published.stdout.split('\n').filter((line) => line.includes('would run'));
    expect(lines.map((line) => /set (--[\w-]+)/.exec(line)?.[1])).toEqual([
      ...['--npm-registry', '--npm-registry', '--npm-registry', '--git-remote'],
    ]);
    expect(published.stdout).not.toContain('running');

    const remote = join(folder, 'remote.git');
    execFileSync('git', ['init', '--quiet', '--bare', remote]);
    const pushed = release(
      ...['publish', '--version', VERSION, '--out', out, '--signers', signers, '--git-remote', remote],
    );
    expect(pushed).toMatchObject({ status: 0 });
    expect(execFileSync('git', ['tag'], { cwd: remote, encoding: 'utf8' })).toBe(`v${VERSION}\n`);
  });

  it('is not published if it was changed', () => {
    const copy = join(folder, 'not-published');
    cpSync(out, copy, { recursive: true });
    appendFileSync(join(copy, 'sbom.cdx.json'), ' ');
    const { status, stdout } = release('publish', '--version', VERSION, '--out', copy, '--signers', signers);
    expect(status).toBe(1);
    expect(stdout).not.toContain('would run');
  });

  it('is refused with a file that was not signed', () => {
    const copy = join(folder, 'with-another');
    cpSync(out, copy, { recursive: true });
    cpSync(join(copy, `hindsight-cli-${VERSION}.tgz`), join(copy, 'hindsight-cli-100.0.0.tgz'));
    for (const command of ['verify', 'publish'])
      expect(release(command, '--version', VERSION, '--out', copy, '--signers', signers)).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /is not what was signed: hindsight-cli-100\.0\.0\.tgz is not in SHA256SUMS/,
        ),
      });
  });
});
