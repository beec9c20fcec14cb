/** `npm run sbom [-- FILE]`: writes the bill of materials, to sbom.cdx.json by default. */
import { writeFileSync } from 'node:fs';
import { billOf } from './cyclonedx.ts';
import { readLock } from './installed.ts';

writeFileSync(process.argv[2] ?? 'sbom.cdx.json', `${JSON.stringify(billOf(readLock()), null, 2)}\n`);
