import { afterAll } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeDashboardAttacks } from '../../test/routes/dashboard-attacks.contract.ts';
import { describeDashboard } from '../../test/routes/dashboard.contract.ts';

const root = mkdtempSync(join(tmpdir(), 'hindsight-dashboard-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const fresh = async (): Promise<{ dataDir: string }> => ({ dataDir: mkdtempSync(join(root, 'place-')) });

describeDashboard('SQLite', fresh);
describeDashboardAttacks('SQLite', fresh);
