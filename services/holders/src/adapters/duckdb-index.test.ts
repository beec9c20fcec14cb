import { describe, expect, it } from '@jest/globals';
import { ALL_TOKENS } from '../domain/tracks.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeHolderIndex, type OpenIndex } from '../../test/adapters/index.contract.ts';
import { DuckdbEngine } from './duckdb-engine.ts';
import { createDuckdbIndex } from './duckdb-index.ts';

const BOUNDS = { memoryMb: 128, threads: 1 };

async function open(): Promise<OpenIndex> {
  const folder = mkdtempSync(join(tmpdir(), 'holders-'));
  const path = join(folder, 'holders.duckdb');
  let engine = new DuckdbEngine(path, BOUNDS);
  return {
    index: createDuckdbIndex(engine),
    async reopen() {
      await engine.close();
      engine = new DuckdbEngine(path, BOUNDS);
      return createDuckdbIndex(engine);
    },
    async close() {
      await engine.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describe('The index of holders in DuckDB', () => {
  describeHolderIndex(open, 20);

  it('is unavailable, not empty, where its file cannot be opened, and there again once it can', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holders-'));
    const engine = new DuckdbEngine(join(folder, 'missing', 'holders.duckdb'), BOUNDS);
    try {
      await expect(createDuckdbIndex(engine).position(ALL_TOKENS)).rejects.toMatchObject({
        name: 'StoreUnavailable',
      });
    } finally {
      await engine.close();
      rmSync(folder, { recursive: true });
    }
  });
});
