import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import { opening } from './tools/lint/comments.ts';

/** Globals of the browser that the portal's scripts use. */
const BROWSER = Object.fromEntries(
  [
    ...[
      'AbortController',
      'Event',
      'MutationObserver',
      'ResizeObserver',
      'TextEncoder',
      'URL',
      'URLSearchParams',
    ],
    ...[
      'addEventListener',
      'clearTimeout',
      'dispatchEvent',
      'document',
      'fetch',
      'getComputedStyle',
      'history',
    ],
    ...['location', 'matchMedia', 'navigator', 'performance', 'requestAnimationFrame', 'setTimeout'],
  ].map((name) => [name, 'readonly']),
);

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/',
      'data/',
      '.stack/',
      'coverage/',
      'devchain/artifacts/',
      'clients/*/dist/',
      'clients/typescript/src/openapi.ts',
    ],
  },
  js.configs.recommended,
  {
    // Regular expressions read input of strangers: none may take more than linear time.
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': 'error',
      'regexp/no-super-linear-move': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // An async function without await is how an interface that returns promises is met by a synchronous store.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/prefer-nullish-coalescing': 'off',
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'No barrel files: name what you export.' },
      ],
      eqeqeq: 'error',
    },
  },
  {
    // Comments begin with a verb or a noun (docs/style.md, 3).
    plugins: { comments: { rules: { opening } } },
    rules: { 'comments/opening': 'error' },
  },
  {
    // process.env is read in one place of each process, so that a setting cannot hide in the depths.
    files: ['{clients,shared,services,standalone,devchain,deploy}/**/*.ts'],
    ignores: ['**/main.ts', '**/*.test.ts', '**/test/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'process.env is read in main.ts only.' },
      ],
    },
  },
  {
    files: ['**/main.ts', 'standalone/**/*.ts', 'deploy/**/*.ts', 'tools/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.test.ts', '**/test/**/*.ts', 'tests/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    files: ['examples/**/*.js'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly' } },
    rules: { 'no-console': 'off' },
  },
  {
    files: ['services/portal/public/**/*.js'],
    languageOptions: { globals: BROWSER },
  },
  { files: ['**/*.{js,cjs}'], languageOptions: { globals: { module: 'writable', require: 'readonly' } } },
);
