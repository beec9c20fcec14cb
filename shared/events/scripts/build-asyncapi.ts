/** Writes docs/asyncapi.yaml from the registry of topics: `npm run build:asyncapi -w shared/events`. */
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { asyncApiOf } from '../src/asyncapi.ts';
import { TOPICS } from '../src/topics.ts';

const file = new URL('../../../docs/asyncapi.yaml', import.meta.url);
writeFileSync(file, stringify(asyncApiOf(TOPICS), { lineWidth: 110, aliasDuplicateObjects: false }));
