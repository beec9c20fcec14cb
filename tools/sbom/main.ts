/** `npm run sbom`: writes the bill of materials to sbom.cdx.json. */
import { writeFileSync } from 'node:fs';
import { billOf } from './cyclonedx.ts';
import { readLock } from './installed.ts';

writeFileSync('sbom.cdx.json', `${JSON.stringify(billOf(readLock()), null, 2)}\n`);
