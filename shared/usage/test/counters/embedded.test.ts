import { afterAll } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCounters } from './counters.contract.ts';

const root = mkdtempSync(join(tmpdir(), 'hindsight-counters-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeCounters('the embedded store', {
  fresh: async () => ({ dataDir: mkdtempSync(join(root, 'place-')) }),
});
