/** The first block of a list: that of the settings, or the first that the network is answered from if it is later. */
import { describe, expect, it } from '@jest/globals';
import { load } from '@hindsight/kernel/config.ts';
import { indexerSettings, TOKEN_SETTINGS } from '@hindsight/tokens/service.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTokens } from '../support/tokens-service.ts';

const firstOf = (setting: string | undefined, network: string): number =>
  indexerSettings(load(TOKEN_SETTINGS, { TOKENS_FROM_BLOCK: setting }), network).fromBlock;

describe('TOKENS_FROM_BLOCK', () => {
  it.each([
    [undefined, 0, 0],
    ['18000000', 18_000_000, 18_000_000],
    ['base-mainnet=5', 0, 5],
    [' 18000000, base-mainnet=0 ', 18_000_000, 0],
  ])('%s begins at %i, and at %i on Base', (setting, ethereum, base) => {
    expect([firstOf(setting, 'eth-mainnet'), firstOf(setting, 'base-mainnet')]).toEqual([ethereum, base]);
  });

  it.each([
    '-1',
    '1.5',
    '1000000000001',
    '1,2',
    'base-mainnet=',
    'base-mainnet=1,base-mainnet=2',
    'Base=1',
    ',',
  ])('%s is refused', (setting) => {
    expect(() => firstOf(setting, 'eth-mainnet')).toThrow('expected a block from 0 to 1000000000000, or');
  });
});

describe('a network that is answered from a later block', () => {
  it('has no event from before it', async () => {
    const chain = await sharedDevchain(process.env);
    const dataDir = mkdtempSync(join(tmpdir(), 'tokens-'));
    const firstBlock = CHAIN.story + 100;
    const service = await startTokens({
      dataDir,
      nodes: [chain.url],
      firstBlock,
      settings: { fromBlock: 0 },
    });
    await service.reach(firstBlock + 20);
    expect(await service.index.checkpoint()).toMatchObject({ from: firstBlock });
    await service.stop();
    rmSync(dataDir, { recursive: true });
  });
});
