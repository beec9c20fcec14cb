import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { describeTracedBus } from './traced-bus.contract.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-traced-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

describeTracedBus('SQLite', () => ({ dataDir }));
