/** `npm run build:settings`, `npm run build:errors`: write the generated parts of documents. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fillErrors } from './errors.ts';
import { fillSettings } from './settings.ts';

const PARTS = {
  settings: ['../../docs/operations/settings.md', fillSettings],
  errors: ['../../docs/guides/errors.md', fillErrors],
} as const;

const [path, fill] = PARTS[process.argv[2] as keyof typeof PARTS];
const page = new URL(path, import.meta.url);
writeFileSync(page, await fill(readFileSync(page, 'utf8')));
