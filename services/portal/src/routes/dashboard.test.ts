import { afterAll } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeDashboard } from './dashboard.contract.ts';

const root = mkdtempSync(join(tmpdir(), 'hindsight-dashboard-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeDashboard('SQLite', async () => ({ dataDir: mkdtempSync(join(root, 'place-')) }));
