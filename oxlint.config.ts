import { defineConfig, type OxlintConfig } from 'oxlint';

/** Rules by state. */
const all = (state: 'error' | 'off', names: readonly string[]): NonNullable<OxlintConfig['rules']> =>
  Object.fromEntries(names.map((name) => [name, state]));

/** Faults that a check of types finds in TypeScript. */
const WITHOUT_TYPES = all('error', ['getter-return', 'no-redeclare', 'no-undef', 'no-unreachable']);

export default defineConfig({
  plugins: ['typescript', 'oxc'],
  jsPlugins: ['eslint-plugin-regexp', { name: 'house', specifier: './tools/lint/house.ts' }],
  // Types are checked in the same run.
  options: { typeAware: true, typeCheck: true, reportUnusedDisableDirectives: 'error' },
  env: { builtin: true },
  ignorePatterns: [
    '**/node_modules/',
    'data/',
    '.stack/',
    'coverage/',
    'devchain/artifacts/',
    'clients/*/dist/',
    'clients/typescript/src/openapi.ts',
  ],
  // Refuses what is surely wrong; the rest is chosen below.
  categories: { correctness: 'error' },
  rules: {
    ...all('error', [
      'eqeqeq',
      'no-case-declarations',
      'no-console',
      'no-empty',
      'no-fallthrough',
      'no-prototype-builtins',
      'no-regex-spaces',
      'no-unexpected-multiline',
      'no-useless-assignment',
      'preserve-caught-error',
      // Regular expressions read input of strangers: none may take more than linear time.
      'regexp/no-super-linear-backtracking',
      'regexp/no-super-linear-move',
      'house/comment-opening',
      'house/no-barrel',
    ]),
    // They refuse what is meant here: strings by code points, sorting as text, void for a call whose result is ignored.
    ...all('off', [
      'typescript/no-meaningless-void-operator',
      'typescript/no-misused-spread',
      'typescript/no-useless-default-assignment',
      'typescript/require-array-sort-compare',
    ]),
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
  },
  overrides: [
    {
      files: ['**/*.ts'],
      rules: {
        ...all('error', [
          'no-array-constructor',
          'no-empty-function',
          'no-var',
          'prefer-const',
          'prefer-rest-params',
          'prefer-spread',
          'typescript/adjacent-overload-signatures',
          'typescript/array-type',
          'typescript/ban-ts-comment',
          'typescript/class-literal-property-style',
          'typescript/consistent-generic-constructors',
          'typescript/consistent-indexed-object-style',
          'typescript/consistent-type-assertions',
          'typescript/consistent-type-imports',
          'typescript/dot-notation',
          'typescript/no-confusing-non-null-assertion',
          'typescript/no-empty-object-type',
          'typescript/no-explicit-any',
          'typescript/no-inferrable-types',
          'typescript/no-misused-promises',
          'typescript/no-namespace',
          'typescript/no-require-imports',
          'typescript/no-unnecessary-type-assertion',
          'typescript/no-unnecessary-type-constraint',
          'typescript/no-unsafe-argument',
          'typescript/no-unsafe-assignment',
          'typescript/no-unsafe-call',
          'typescript/no-unsafe-enum-comparison',
          'typescript/no-unsafe-function-type',
          'typescript/no-unsafe-member-access',
          'typescript/no-unsafe-return',
          'typescript/non-nullable-type-assertion-style',
          'typescript/only-throw-error',
          'typescript/prefer-find',
          'typescript/prefer-for-of',
          'typescript/prefer-function-type',
          'typescript/prefer-includes',
          'typescript/prefer-optional-chain',
          'typescript/prefer-promise-reject-errors',
          'typescript/prefer-regexp-exec',
          'typescript/prefer-string-starts-ends-with',
          'typescript/restrict-plus-operands',
          'typescript/switch-exhaustiveness-check',
        ]),
        'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      },
    },
    {
      // process.env is read in one place of each process, so that a setting cannot hide in the depths.
      files: ['{clients,shared,services,standalone,devchain,deploy}/**/*.ts'],
      excludeFiles: ['**/main.ts', '**/*.test.ts', '**/test/**'],
      rules: {
        'no-restricted-properties': [
          'error',
          { object: 'process', property: 'env', message: 'process.env is read in main.ts only.' },
        ],
      },
    },
    {
      files: ['**/main.ts', 'standalone/**/*.ts', 'deploy/**/*.ts', 'tools/**/*.ts', 'examples/**/*.js'],
      rules: { 'no-console': 'off' },
    },
    {
      files: ['**/*.test.ts', '**/test/**/*.ts', 'tests/**/*.ts'],
      rules: all('off', [
        'typescript/no-unsafe-argument',
        'typescript/no-unsafe-assignment',
        'typescript/no-unsafe-member-access',
      ]),
    },
    { files: ['examples/**/*.js', '**/*.cjs'], env: { node: true }, rules: WITHOUT_TYPES },
    { files: ['services/portal/public/**/*.js'], env: { browser: true }, rules: WITHOUT_TYPES },
  ],
});
