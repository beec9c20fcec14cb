/** The import rules work: one forbidden import of each kind is planted, and must be refused. */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { plant, type PlantedTree } from './support/planted-tree.ts';

const CLEAN = {
  'shared/kernel/src/errors.ts': 'export const errors = 1;\n',
  'shared/kernel/src/clock.ts': 'export const clock = 1;\n',
  'services/one/src/service.ts': 'export const one = 1;\n',
  'services/one/src/ports.ts': 'export type Port = 1;\n',
  'services/one/src/domain/thing.ts':
    "import { errors } from '../../../../shared/kernel/src/errors.ts';\nexport const thing = errors;\n",
  'services/one/src/adapters/store.ts':
    "import { DatabaseSync } from 'node:sqlite';\nexport const store = DatabaseSync;\n",
  'services/one/src/chain/reader.ts': 'export const reader = 1;\n',
  'services/one/test/world.ts': "import 'fast-check';\nexport const world = 1;\n",
  'services/two/src/service.ts': 'export const two = 1;\n',
  'standalone/src/main.ts':
    "import { one } from '../../services/one/src/service.ts';\nexport const all = one;\n",
  'devchain/src/x.ts': 'export const x = 1;\n',
  'shared/events/src/envelope.ts': 'export const envelope = 1;\n',
  'shared/http/src/server.ts': "import '../../kernel/src/errors.ts';\nexport const server = 1;\n",
  'shared/chain/src/node.ts': 'export const node = 1;\n',
  'shared/stores/src/store.ts': 'export const store = 1;\n',
  'shared/bus/src/port.ts': "import '../../events/src/envelope.ts';\nexport type Bus = 1;\n",
  'shared/projects/src/project.ts': 'export type Project = 1;\n',
  'shared/indexing/src/walk.ts': "import '../../chain/src/node.ts';\nexport const walk = 1;\n",
  'services/gateway/src/steps/pass.ts': 'export const pass = 1;\n',
  'shared/usage/src/open.ts': 'export const open = 1;\n',
  'shared/usage/src/ledger.ts': "import '../../projects/src/project.ts';\nexport const ledger = 1;\n",
  'tests/x.test.ts': "import { one } from '../services/one/src/service.ts';\nexport const t = one;\n",
  'tools/bench/x.ts': 'export const x = 1;\n',
};

const FORBIDDEN: readonly [rule: string, path: string, content: string][] = [
  ['shared-kernel-imports-lower-floors', 'shared/kernel/src/a.ts', "import '../../http/src/server.ts';\n"],
  ['shared-events-imports-lower-floors', 'shared/events/src/a.ts', "import '../../kernel/src/clock.ts';\n"],
  ['shared-http-imports-lower-floors', 'shared/http/src/a.ts', "import '../../chain/src/node.ts';\n"],
  ['shared-chain-imports-lower-floors', 'shared/chain/src/a.ts', "import '../../stores/src/store.ts';\n"],
  [
    'shared-stores-imports-lower-floors',
    'shared/stores/src/a.ts',
    "import type {} from '../../bus/src/port.ts';\n",
  ],
  ['shared-bus-imports-lower-floors', 'shared/bus/src/a.ts', "import '../../projects/src/project.ts';\n"],
  [
    'shared-projects-imports-lower-floors',
    'shared/projects/src/a.ts',
    "import '../../usage/src/ledger.ts';\n",
  ],
  [
    'shared-indexing-imports-lower-floors',
    'shared/indexing/src/a.ts',
    "import '../../usage/src/ledger.ts';\n",
  ],
  ['api-imports-nothing', 'shared/api/src/a.ts', "import 'zod';\n"],
  ['gateway-limits-imports-lower-rooms', 'services/gateway/src/limits/a.ts', "import '../steps/pass.ts';\n"],
  ['usage-opens-from-the-top', 'shared/usage/src/counters/a.ts', "import '../open.ts';\n"],
  ['shared-is-a-set-of-packages', 'shared/kernel/src/loose.ts', "import '../../loose/src/a.ts';\n"],
  ['shared-imports-no-service', 'shared/kernel/src/b.ts', "import '../../../services/one/src/service.ts';\n"],
  ['service-imports-no-other-service', 'services/two/src/a.ts', "import '../../one/src/service.ts';\n"],
  [
    'services-are-entered-by-service-ts',
    'standalone/src/a.ts',
    "import '../../services/one/src/adapters/store.ts';\n",
  ],
  ['devchain-stands-alone', 'devchain/src/a.ts', "import '../../shared/kernel/src/errors.ts';\n"],
  ['tests-enter-by-service-ts', 'tests/a.test.ts', "import '../services/one/src/domain/thing.ts';\n"],
  [
    'domain-is-pure',
    'services/one/src/domain/a.ts',
    "import { readFileSync } from 'node:fs';\nreadFileSync('');\n",
  ],
  ['domain-is-pure', 'services/one/src/domain/b.ts', "import '../../../../shared/kernel/src/clock.ts';\n"],
  ['entry-points-know-no-adapter', 'services/one/src/routes/a.ts', "import '../adapters/store.ts';\n"],
  ['entry-points-know-no-adapter', 'services/one/src/consumers/a.ts', "import '../adapters/store.ts';\n"],
  ['entry-points-know-no-adapter', 'services/one/src/jobs/a.ts', "import '../adapters/store.ts';\n"],
  ['entry-points-know-no-adapter', 'services/one/src/routes/b.ts', "import '../chain/reader.ts';\n"],
  ['entry-points-know-no-adapter', 'services/one/src/views/a.ts', "import '../chain/reader.ts';\n"],
  ['chain-readers-know-no-entry-point', 'services/one/src/chain/a.ts', "import '../adapters/store.ts';\n"],
  ['infrastructure-in-adapters-only', 'services/one/src/steps/a.ts', "import 'node:sqlite';\n"],
  ['production-imports-no-test', 'shared/kernel/src/c.ts', "import '../../../tests/x.test.ts';\n"],
  ['production-imports-no-test', 'services/one/src/g.ts', "import '../test/world.ts';\n"],
  ['production-imports-no-tool', 'services/one/src/h.ts', "import '../../../tools/bench/x.ts';\n"],
  ['no-dev-dependency-in-production', 'shared/kernel/src/d.ts', "import 'oxfmt';\n"],
  ['no-cycles', 'shared/kernel/src/e.ts', "import { f } from './f.ts';\nexport const e = () => f;\n"],
  ['no-cycles', 'shared/kernel/src/g.ts', "import type { H } from './h.ts';\nexport type G = H | 1;\n"],
  ['no-unresolvable', 'shared/kernel/src/i.ts', "import './nowhere.ts';\n"],
];

const CYCLE_PARTNERS = {
  'shared/kernel/src/f.ts': "import { e } from './e.ts';\nexport const f = () => e;\n",
  'shared/kernel/src/h.ts': "import type { G } from './g.ts';\nexport type H = G | 2;\n",
  'shared/loose/src/a.ts': 'export const a = 1;\n',
};
const FOLDERS = ['shared', 'services', 'standalone', 'devchain', 'tools', 'tests'];

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

  it('refuse one forbidden import of each kind, and accept the files that follow them', () => {
    const planted = Object.fromEntries(FORBIDDEN.map(([, path, content]) => [path, content]));
    tree = plant({ ...CLEAN, ...planted, ...CYCLE_PARTNERS });
    const broken = brokenRules(tree);
    for (const [rule, path] of FORBIDDEN) expect(broken).toContain(`${rule} ${path}`);
    const accepted = Object.keys(CLEAN).map((path) => broken.filter((one) => one.endsWith(` ${path}`)));
    expect(accepted.flat()).toEqual([]);
  });
});

/** Faults that the linter finds in planted files: path, line, rule and message. */
function faultsIn(files: readonly (readonly [path: string, content: string])[]): string[] {
  const tree = plant({ ...CLEAN, ...Object.fromEntries(files) });
  const { status, output } = tree.run('oxlint', '--format', 'json');
  tree.remove();
  expect(status).toBe(1);
  const { diagnostics } = JSON.parse(output) as {
    diagnostics: {
      code?: string;
      message: string;
      filename: string;
      labels: { span: { line: number } }[];
    }[];
  };
  return diagnostics.map(
    ({ code = '', message, filename, labels }) =>
      `${filename}:${labels[0]?.span.line ?? 0} ${code} ${message}`,
  );
}

describe('the linter', () => {
  const PLANTED: readonly (readonly [what: string, rule: string, content: string])[] = [
    [
      'a floating promise',
      'typescript(no-floating-promises)',
      'export function go(): void { Promise.resolve(1); }\n',
    ],
    [
      'a promise where none is expected',
      'typescript(no-misused-promises)',
      'export const go = (): number[] => [1].filter(async () => Promise.resolve(true));\n',
    ],
    [
      'a value of any type',
      'typescript(no-unsafe-return)',
      "export const read = (): string => JSON.parse('1');\n",
    ],
    [
      'a case that is forgotten',
      'typescript(switch-exhaustiveness-check)',
      "export function go(one: 'a' | 'b'): void {\n  switch (one) {\n    case 'a':\n      throw new Error(one);\n  }\n}\n",
    ],
    ['a wrong type', 'typescript(TS2322)', "export const one: number = 'one';\n"],
    [
      'a parameter that is not used',
      'eslint(no-unused-vars)',
      'export const go = (one: number): void => {};\n',
    ],
    ['output of a service', 'eslint(no-console)', 'console.log(1);\n'],
    ['a barrel file', 'house(no-barrel)', "export * from './errors.ts';\n"],
    [
      'process.env outside main.ts',
      'eslint(no-restricted-properties)',
      'export const home = process.env.HOME;\n',
    ],
    [
      'a regular expression that may take more than linear time',
      'regexp(no-super-linear-backtracking)',
      'export const pattern = /^(?:a+)+$/;\n',
    ],
    [
      'a comment that allows what nothing refuses',
      'Unused',
      '// oxlint-disable-next-line no-console\nexport {};\n',
    ],
  ];
  const pathOf = (i: number): string => `shared/kernel/src/planted-${i}.ts`;
  let faults: string[];

  beforeAll(() => {
    faults = faultsIn([
      ...PLANTED.map(([, , content], i) => [pathOf(i), content] as const),
      ['services/portal/public/planted.js', 'document.title = process.title;\n'],
    ]);
  });

  it.each(PLANTED.map(([what, rule], i) => [what, rule, i] as const))('refuses %s', (_what, rule, i) => {
    expect(faults.filter((fault) => fault.startsWith(`${pathOf(i)}:`)).join()).toContain(rule);
  });

  it('refuses a name that no browser knows', () => {
    expect(faults).toContainEqual(
      expect.stringContaining('services/portal/public/planted.js:1 eslint(no-undef)'),
    );
  });

  it('accepts a file that follows the rules', () => {
    expect(faults.filter((fault) => fault.includes('clock.ts'))).toEqual([]);
  });
});

describe('the opening of a comment', () => {
  const WORDS = ['What', 'Whether', 'How', 'Where', 'Which'];
  const REFUSED = WORDS.flatMap((word) =>
    [
      `/** ${word} it is. */`,
      `/**\n * ${word} it is.\n */`,
      `/* ${word} it is. */`,
      `// ${word} it is.`,
      `export const one = 1; // ${word} it is.`,
    ].map((code) => ({ word, code })),
  );
  const pathOf = (i: number): string => `shared/kernel/src/comment-${i}.ts`;
  let faults: string[];

  beforeAll(() => {
    faults = faultsIn([
      ...REFUSED.map(({ code }, i) => [pathOf(i), `${code}\nexport const two = 2;\n`] as const),
      [
        'shared/kernel/src/noun.ts',
        '/** True if it is. */\n// Reads it, where it is.\n/* However. */\nexport {};\n',
      ],
      ['shared/kernel/src/sentence.ts', '// The first line of a sentence,\n// Which goes on.\nexport {};\n'],
      ['shared/kernel/src/sentences.ts', '// One sentence.\n\n// Which it is.\nexport {};\n'],
      ['shared/kernel/src/mixed.ts', '/** One. */\n// Which it is.\nexport {};\n'],
    ]);
  });
  const faultsOf = (path: string): string[] => faults.filter((fault) => fault.startsWith(`${path}:`));

  it.each(REFUSED.map((one, i) => ({ ...one, path: pathOf(i) })))('is refused: $code', ({ word, path }) => {
    expect(faultsOf(path)).toEqual([
      expect.stringContaining(
        `:1 house(comment-opening) Begin a comment with a verb or a noun, not with "${word}"`,
      ),
    ]);
  });

  it('is a verb, a noun, or a longer word', () => {
    expect(faultsOf('shared/kernel/src/noun.ts')).toEqual([]);
  });

  it('is on the first of line comments that follow each other', () => {
    expect(faultsOf('shared/kernel/src/sentence.ts')).toEqual([]);
    expect(faultsOf('shared/kernel/src/sentences.ts')).toEqual([expect.stringContaining(':3 house(')]);
    expect(faultsOf('shared/kernel/src/mixed.ts')).toEqual([expect.stringContaining(':2 house(')]);
  });
});

describe('the search for dead code', () => {
  it('names an unused file and an unused export', () => {
    const tree = plant({
      'package.json': JSON.stringify({ name: 'planted', type: 'module', workspaces: ['shared/*'] }),
      'shared/kernel/package.json': JSON.stringify({ name: '@hindsight/kernel', type: 'module' }),
      'shared/kernel/src/used.ts': 'export const used = 1;\nexport const unused = 2;\n',
      'shared/kernel/src/used.test.ts': "import { used } from './used.ts';\nused.toFixed();\n",
      'shared/kernel/src/orphan.ts': 'export const orphan = 1;\n',
    });
    const { status, output } = tree.run('knip');
    tree.remove();
    expect(status).not.toBe(0);
    expect(output).toMatch(/orphan\.ts/);
    expect(output).toMatch(/\bunused\b.*used\.ts/);
  });
});
