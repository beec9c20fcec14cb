import { afterAll } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeUsage } from '../usage.contract.ts';

const root = mkdtempSync(join(tmpdir(), 'hindsight-usage-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeUsage('SQLite', { fresh: async () => ({ dataDir: mkdtempSync(join(root, 'place-')) }) });
