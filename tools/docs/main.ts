/** `npm run build:settings`: writes the tables of docs/operations/settings.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fillSettings } from './settings.ts';

const page = new URL('../../docs/operations/settings.md', import.meta.url);
writeFileSync(page, await fillSettings(readFileSync(page, 'utf8')));
