import { describe, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { openHolderIndex } from '@hindsight/holders/service.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeExports } from './export.contract.ts';

const folderIn = (dataDir: string): string => join(dataDir, 'holders.duckdb.exports');

describe('Files of holders by DuckDB', () => {
  describeExports(async () => ({
    options: {},
    making: async (dataDir) => (existsSync(folderIn(dataDir)) ? readdirSync(folderIn(dataDir)).length : 0),
  }));

  it('of a process that was killed are removed at the next start', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'holders-'));
    const left = join(folderIn(dataDir), 'export-x');
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, 'holders.parquet'), 'PAR1');
    const lifecycle = createLifecycle(createLogger({ name: 'holders', level: 'silent' }));
    await openHolderIndex(ETH_MAINNET, { dataDir, bounds: { memoryMb: 64, threads: 1 } }, lifecycle);
    expect(existsSync(left)).toBe(false);
    await lifecycle.shutdown('the end of the test');
    rmSync(dataDir, { recursive: true });
  });
});
