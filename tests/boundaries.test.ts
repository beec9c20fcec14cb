/** The import rules bite: one forbidden import of each kind is planted, and seen refused. */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { plant, type PlantedTree } from './support/planted-tree.ts';

const CLEAN = {
  'shared/src/errors.ts': 'export const errors = 1;\n',
  'shared/src/clock.ts': 'export const clock = 1;\n',
  'services/one/src/service.ts': 'export const one = 1;\n',
  'services/one/src/ports.ts': 'export type Port = 1;\n',
  'services/one/src/domain/thing.ts':
    "import { errors } from '../../../../shared/src/errors.ts';\nexport const thing = errors;\n",
  'services/one/src/adapters/store.ts':
    "import { DatabaseSync } from 'node:sqlite';\nexport const store = DatabaseSync;\n",
  'services/one/src/testing/world.ts': "import 'fast-check';\nexport const world = 1;\n",
  'services/two/src/service.ts': 'export const two = 1;\n',
  'standalone/src/main.ts':
    "import { one } from '../../services/one/src/service.ts';\nexport const all = one;\n",
  'devchain/src/x.ts': 'export const x = 1;\n',
  'deploy/x.ts': 'export const x = 1;\n',
  'tests/x.test.ts': "import { one } from '../services/one/src/service.ts';\nexport const t = one;\n",
  'bench/x.ts': 'export const x = 1;\n',
};

const FORBIDDEN: readonly [rule: string, path: string, content: string][] = [
  ['shared-imports-no-service', 'shared/src/a.ts', "import '../../services/one/src/service.ts';\n"],
  ['service-imports-no-other-service', 'services/two/src/a.ts', "import '../../one/src/service.ts';\n"],
  [
    'services-are-entered-by-service-ts',
    'standalone/src/a.ts',
    "import '../../services/one/src/adapters/store.ts';\n",
  ],
  ['tests-enter-by-service-ts', 'tests/a.test.ts', "import '../services/one/src/domain/thing.ts';\n"],
  [
    'domain-is-pure',
    'services/one/src/domain/a.ts',
    "import { readFileSync } from 'node:fs';\nreadFileSync('');\n",
  ],
  ['domain-is-pure', 'services/one/src/domain/b.ts', "import '../../../../shared/src/clock.ts';\n"],
  ['entry-points-know-no-adapter', 'services/one/src/routes/a.ts', "import '../adapters/store.ts';\n"],
  ['entry-points-know-no-adapter', 'services/one/src/consumers/a.ts', "import '../adapters/store.ts';\n"],
  ['entry-points-know-no-adapter', 'services/one/src/jobs/a.ts', "import '../adapters/store.ts';\n"],
  ['infrastructure-in-adapters-only', 'services/one/src/steps/a.ts', "import 'node:sqlite';\n"],
  ['production-imports-no-test', 'shared/src/b.ts', "import '../../tests/x.test.ts';\n"],
  ['production-imports-no-test', 'services/one/src/g.ts', "import './testing/world.ts';\n"],
  ['no-dev-dependency-in-production', 'shared/src/c.ts', "import 'fast-check';\n"],
  ['no-cycles', 'shared/src/d.ts', "import { e } from './e.ts';\nexport const d = () => e;\n"],
  ['no-unresolvable', 'shared/src/f.ts', "import './nowhere.ts';\n"],
];

const CYCLE_PARTNER = { 'shared/src/e.ts': "import { d } from './d.ts';\nexport const e = () => d;\n" };
const FOLDERS = ['shared', 'services', 'standalone', 'devchain', 'deploy', 'tests', 'bench'];

function brokenRules(tree: PlantedTree): string[] {
  const { output } = tree.run(
    'depcruise',
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    ...FOLDERS,
  );
  const report = JSON.parse(output) as {
    summary: { violations: { rule: { name: string }; from: string }[] };
  };
  return report.summary.violations.map(({ rule, from }) => `${rule.name} ${from}`);
}

describe('the import rules', () => {
  let tree: PlantedTree;
  afterEach(() => tree.remove());

  it('accept a tree that keeps them', () => {
    tree = plant(CLEAN);
    expect(brokenRules(tree)).toEqual([]);
  });

  it('refuse one forbidden import of each kind', () => {
    const planted = Object.fromEntries(FORBIDDEN.map(([, path, content]) => [path, content]));
    tree = plant({ ...CLEAN, ...planted, ...CYCLE_PARTNER });
    const broken = brokenRules(tree);
    for (const [rule, path] of FORBIDDEN) expect(broken).toContain(`${rule} ${path}`);
  });
});

describe('the linter', () => {
  const PLANTED: readonly [what: string, rule: string, path: string, content: string][] = [
    [
      'a floating promise',
      '@typescript-eslint/no-floating-promises',
      'shared/src/floating.ts',
      'export function go(): void { Promise.resolve(1); }\n',
    ],
    ['a barrel file', 'no-restricted-syntax', 'shared/src/barrel.ts', "export * from './errors.ts';\n"],
    [
      'process.env outside main.ts',
      'no-restricted-properties',
      'shared/src/environment.ts',
      'export const home = process.env.HOME;\n',
    ],
  ];
  let refused: string[];

  beforeAll(() => {
    const planted = Object.fromEntries(PLANTED.map(([, , path, content]) => [path, content]));
    const tree = plant({ ...CLEAN, ...planted });
    const paths = PLANTED.map(([, , path]) => path);
    const { status, output } = tree.run('eslint', '--format', 'json', 'shared/src/clock.ts', ...paths);
    tree.remove();
    expect(status).toBe(1);
    const files = JSON.parse(output) as { filePath: string; messages: { ruleId: string }[] }[];
    refused = files.flatMap(({ filePath, messages }) =>
      messages.map(({ ruleId }) => `${ruleId} ${filePath.slice(filePath.indexOf('shared/'))}`),
    );
  });

  it.each(PLANTED)('refuses %s', (_what, rule, path) => {
    expect(refused).toContain(`${rule} ${path}`);
  });

  it('has nothing against a file that keeps the rules', () => {
    expect(refused.filter((line) => line.endsWith('clock.ts'))).toEqual([]);
  });
});

describe('the search for dead code', () => {
  it('names an unused file and an unused export', () => {
    const tree = plant({
      'package.json': JSON.stringify({ name: 'planted', type: 'module', workspaces: ['shared'] }),
      'shared/package.json': JSON.stringify({ name: '@hindsight/shared', type: 'module' }),
      'shared/src/used.ts': 'export const used = 1;\nexport const unused = 2;\n',
      'shared/src/used.test.ts': "import { used } from './used.ts';\nused.toFixed();\n",
      'shared/src/orphan.ts': 'export const orphan = 1;\n',
    });
    const { status, output } = tree.run('knip');
    tree.remove();
    expect(status).not.toBe(0);
    expect(output).toMatch(/orphan\.ts/);
    expect(output).toMatch(/\bunused\b.*used\.ts/);
  });
});
