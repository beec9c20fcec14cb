/** `npm run build:settings`, `build:errors`, `build:licences`: write the generated parts of documents. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fillErrors } from './errors.ts';
import { fillLicences } from './licences.ts';
import { fillSettings } from './settings.ts';

const PARTS = {
  settings: ['../../docs/operations/settings.md', fillSettings],
  errors: ['../../docs/guides/errors.md', fillErrors],
  licences: ['../../docs/operations/licences.md', (text: string) => fillLicences(text)],
} as const;

const [path, fill] = PARTS[process.argv[2] as keyof typeof PARTS];
const page = new URL(path, import.meta.url);
writeFileSync(page, await fill(readFileSync(page, 'utf8')));
