import { describe, expect, it, jest } from '@jest/globals';
import { TOKENS } from '@hindsight/devchain/world.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { ALL_TOKENS, openHolderIndex } from '@hindsight/holders/service.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { describeExports } from './export.contract.ts';
import { HolderWorld } from './support/holder-world.ts';

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
    const bounds = { memoryMb: 64, threads: 1 };
    const index = await openHolderIndex(ETH_MAINNET, { dataDir, bounds }, lifecycle);
    // Until the file is open they may be those of a process that runs.
    expect(existsSync(left)).toBe(true);
    await index.position(ALL_TOKENS);
    expect(existsSync(left)).toBe(false);
    await lifecycle.shutdown('the end of the test');
    rmSync(dataDir, { recursive: true });
  });
});

describe('A file of holders', () => {
  const world = forAllTests(HolderWorld.onDevchain, 'close');

  it('ends with what it has where reading takes long', async () => {
    const addresses = Array.from({ length: 10_001 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`);
    const app = await world.start({
      keep: (index) => ({
        ...index,
        async *holders() {
          yield addresses;
        },
      }),
    });
    const now = performance.now.bind(performance);
    const late = jest.spyOn(performance, 'now');
    // Balances are asked for: the time is nearly up.
    world.spy = (path) => path.includes('snapshot') && late.mockImplementation(() => now() + 50_000);
    const url = `/v1/eth-mainnet/token/holders/export?token_address=${TOKENS.usdc.address}`;
    const { statusCode, headers } = await app.inject({ method: 'POST', url });
    late.mockRestore();
    const facts = JSON.parse(String(headers['x-holders-facts'])) as Readonly<Record<string, unknown>>;
    expect([statusCode, facts.read, facts.next]).toEqual([200, 10_000, addresses.at(-2)]);
  });
});
