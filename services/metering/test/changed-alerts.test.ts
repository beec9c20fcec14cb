import { afterAll } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeChangedAlerts } from './changed-alerts.contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'hindsight-changed-alerts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeChangedAlerts('the embedded database', () => ({ dataDir: folder }));
