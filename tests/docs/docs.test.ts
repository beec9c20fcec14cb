/**
 * Everything that the documentation names exists: files, folders, headings, commands, benchmarks, variables.
 */
import { spawnSync } from 'node:child_process';
import { matchesGlob, posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MAX_BLANK_LINES, MAX_ROW_BYTES } from '@hindsight/api/body-rows.ts';
import { MAX_STREAMED_ROWS } from '@hindsight/api/units.ts';
import { MAX_NAME_LENGTH } from '@hindsight/chain/ens/name.ts';
import { codeIn, PAGES, read, TREE, type Page } from './pages.ts';

const named = PAGES.map((page): [string, Page] => [page.path, page]);

/** As GitHub makes a heading's anchor. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

function anchorsOf({ prose }: Page): string[] {
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

/** The targets of a page's links that are in the repository. */
function linksOf({ prose }: Page): string[] {
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)];
  return targets.map(([, link, attribute]) => link ?? attribute ?? '').filter((link) => !/^\w+:/.test(link));
}

function leadsSomewhere(page: Page, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page.path : posix.join(posix.dirname(page.path), path).replace(/\/$/, '');
  if (!TREE.includes(target)) return false;
  const heading = PAGES.find((each) => each.path === target);
  return anchor === undefined || (heading !== undefined && anchorsOf(heading).includes(anchor));
}

const FOLDERS = [
  '.ci',
  'deploy',
  'devchain',
  'docs',
  'examples',
  'services',
  'shared',
  'standalone',
  'tests',
  'tools',
];
const FILE = /\.(?:ts|js|cjs|css|md|yul|yml|yaml|sol)$/;

/** True if it reads as a path of the repository, whole or by its end. */
function isPath(code: string): boolean {
  if (!/^[\w.@*<>/-]+$/.test(code)) return false;
  return FILE.test(code) || (code.includes('/') && FOLDERS.includes(code.split('/')[0] ?? ''));
}

/** `<name>` and `*` stand for anything within a name; a path may begin anywhere. */
function isThere(page: Page, code: string): boolean {
  const pattern = code.replace(/<\w+>/g, '*').replace(/\/$/, '');
  const here = posix.join(posix.dirname(page.path), pattern);
  return TREE.some((path) => [pattern, here, `**/${pattern}`].some((each) => matchesGlob(path, each)));
}

describe.each(named)('%s', (_path, page) => {
  it('has no broken links', () => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });

  it('names existing files and folders', () => {
    const made = [...page.prose.matchAll(/Save this as `([^`]+)`/g)].map(([, file]) => file);
    const paths = codeIn(page.prose).filter((code) => isPath(code) && !made.includes(code));
    expect(paths.filter((path) => !isThere(page, path))).toEqual([]);
  });

  it('has commands that a shell can read', () => {
    const blocks = [...page.text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].map(([, , code = '']) => code);
    const { status, stderr } = spawnSync('bash', ['-n'], { input: blocks.join('\n'), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('names variables that something reads', () => {
    const variables = codeIn(page.prose).filter((code) => /^[A-Z]+(?:_[A-Z]+)+$/.test(code));
    expect(variables.filter((name) => !SOURCES.includes(name) && !THE_SDKS.has(name))).toEqual([]);
  });
});

/** Read by OpenTelemetry's SDK, not by us. */
const THE_SDKS = new Set(['OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES', 'OTEL_TRACES_SAMPLER']);
const SOURCES = TREE.filter((path) =>
  /\.(?:ts|js|yul)$|Dockerfile$|(?:docker-compose|deploy\/compose\/[\w-]+)\.yml$/.test(path),
)
  .filter((path) => !path.startsWith('tests/docs/'))
  .map(read)
  .join('\n');

/** `npm run NAME`, with the workspace if one is named. */
function commandsIn({ text }: Page): { script: string; workspace: string }[] {
  const found = text.matchAll(/npm run (?:--silent |-s )?([a-z][\w:-]*)(?: -w ([\w/]+))?/g);
  return [...found].map(([, script = '', workspace = '.']) => ({ script, workspace }));
}

function scriptsOf(workspace: string): string[] {
  const { scripts } = JSON.parse(read(posix.join(workspace, 'package.json'))) as { scripts: object };
  return Object.keys(scripts);
}

/** A package manager's command for a package of that name. */
const FETCHED =
  /\b(?:npx|npm (?:i|install|exec)|pnpm|yarn|bunx|pipx?|uvx?)\b[^\n`|&;]*[\s=](?:@hindsight\/\w+|hindsight)(?=[\s`@]|$)/gm;

it('no command installs a package from a registry under a name that is not ours there', () => {
  const texts = TREE.filter((path) => /\.(?:md|ts|html|json|ya?ml)$/.test(path) && !path.includes('test'));
  const named = texts.flatMap((path) =>
    [...read(path).matchAll(FETCHED)].map(([command]) => `${path}: ${command}`),
  );
  expect(named.filter((command) => !command.includes('/packages/'))).toEqual([]);
});

describe('the commands', () => {
  it('exist if they are documented', () => {
    const missing = PAGES.flatMap(commandsIn).filter(
      ({ script, workspace }) => !scriptsOf(workspace).includes(script),
    );
    expect(missing).toEqual([]);
  });

  it('are documented, except for the parts of the check', () => {
    const said = new Set([...PAGES.flatMap(commandsIn).map(({ script }) => script), 'start', 'test']);
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { check: string } };
    const parts: string[] = scripts.check.match(/(?<=npm run -s )[\w:]+/g) ?? [];
    const silent = scriptsOf('.').filter((script) => !said.has(script) && !parts.includes(script));
    expect(silent).toEqual([]);
  });

  it('have a section with the results if they run a benchmark', () => {
    const benchmarks = [...read('tools/bench/main.ts').matchAll(/\(\) => import\('\.\/([\w-]+)\.ts'\)/g)];
    const names = benchmarks.map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(0);
    const results = read('tools/bench/README.md');
    expect(names.filter((name) => !results.includes(`\`npm run bench ${name}\``))).toEqual([]);
    const documented = [...results.matchAll(/`npm run bench ([a-z-]+)`/g)].map(([, name]) => name);
    expect(documented.filter((name = '') => !names.includes(name))).toEqual([]);
  });
});

it('docs/change-map.md has no row twice', () => {
  const rows = read('docs/change-map.md')
    .split('\n')
    .filter((line) => /^\| (?!-|to change)/.test(line));
  expect(rows.filter((row, at) => rows.indexOf(row) !== at)).toEqual([]);
});

describe('the limits of a snapshot’s body', () => {
  const count = (most: number): string => most.toLocaleString('en');

  it('are those that the recipes name', () => {
    const text = PAGES.find(({ path }) => path === 'docs/recipes.md')?.prose.replaceAll(/\s+/g, ' ');
    expect(text).toContain(`there may be ${count(MAX_BLANK_LINES)} of them, and one more for each row.`);
    expect(text).toContain(
      `At most ${count(MAX_STREAMED_ROWS)} rows, 64 MiB, ${count(MAX_ROW_BYTES)} bytes a row, ` +
        `${count(MAX_NAME_LENGTH)} characters a holder`,
    );
  });
});
