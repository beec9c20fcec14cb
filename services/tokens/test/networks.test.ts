import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOKEN_MIGRATIONS } from '../src/adapters/sqlite-schema.ts';
import { openTokenIndex } from '../src/service.ts';
import { rangeOf, rowsAsBefore, tokensUpTo } from './adapters/index.fixtures.contract.ts';
import { writeAsBefore } from './adapters/sqlite-before.ts';
import { describeTokenNetworks, type NetworkStore } from './networks.contract.ts';

async function inFolder(): Promise<NetworkStore> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tokens-networks-'));
  return { settings: { dataDir }, close: async () => rmSync(dataDir, { recursive: true }) };
}

describe('token lists in SQLite', () => {
  describeTokenNetworks(inFolder);

  it('that the first release has stored are mainnet’s, and are refused for another network', async () => {
    const store = await inFolder();
    const { settings } = store;
    const released = openSqlite(join(settings.dataDir, 'tokens.db'), TOKEN_MIGRATIONS.slice(0, 1));
    const stored = { from: 100, number: 110, hash: rangeOf(100, 110, []).hash, count: 9, version: 1 };
    writeAsBefore(released, stored, rowsAsBefore(tokensUpTo(9)));
    released.close();
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    const base: Network = { ...ETH_MAINNET, name: 'base-mainnet', chainId: 8453 };
    const sameFile = { ...settings, fileOf: () => 'tokens.db' };
    await expect(openTokenIndex(base, sameFile, lifecycle)).rejects.toThrow(
      'is of eth-mainnet (chain 1), not of base-mainnet (chain 8453)',
    );
    for (const other of [
      { ...base, chainId: 1 },
      { ...base, name: 'eth-mainnet' },
    ])
      await expect(openTokenIndex(other, sameFile, lifecycle)).rejects.toThrow('give this network a store');
    const index = await openTokenIndex(ETH_MAINNET, settings, lifecycle);
    expect(await index.page({}, 0, 1)).toMatchObject({ total: 9 });
    await lifecycle.shutdown('the test is over');
    await store.close();
  });
});
