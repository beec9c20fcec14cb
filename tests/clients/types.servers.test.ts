/** The types of the client are those of docs/openapi.json. */
import { expect, it } from '@jest/globals';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import { readFileSync } from 'node:fs';
import { CLIENT_TYPES, makeClientTypes } from '../../tools/openapi/client-types.ts';

await describeOnInstalled(
  'the types of the client',
  { name: 'openapi-typescript', env: process.env },
  (folder) => {
    it('are made of docs/openapi.json (npm run build:openapi writes them)', async () => {
      const isCurrent = readFileSync(CLIENT_TYPES, 'utf8') === (await makeClientTypes(folder));
      // Not the texts themselves: of a stale file they differ by hundreds of lines.
      expect({ isCurrent }).toEqual({ isCurrent: true });
    });
  },
);
