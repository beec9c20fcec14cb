import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { describeNetworks } from './networks.contract.ts';
import { FIRST, startFakeNode, type FakeNode } from './support/fake-node.ts';
import { runBalance, runNetworks, type RunningBalance } from './support/run-balance.ts';

describeNetworks(() => undefined);

describe('a network with two entries', () => {
  it('is refused at start, by its name', async () => {
    const urls = ['http://127.0.0.1:1'];
    const twice = [
      { network: ETH_MAINNET, urls },
      { network: ETH_MAINNET, urls },
    ];
    await expect(runNetworks(twice)).rejects.toThrow('the network eth-mainnet is configured more than once');
  });
});

describe('a network without an ENS registry', () => {
  const { ensRegistries: _, ...network } = ETH_MAINNET;
  const TOKEN = '0x00000000000000000000000000000000000000bb';
  const HOLDER = '0x00000000000000000000000000000000000000aa';

  it('refuses names with the reason, in every place, and answers addresses', async () => {
    const node = await startFakeNode({ chainId: 1, wei: 1n, balance: 2n, allowance: 3n, named: HOLDER });
    const balance = await runNetworks([{ network, urls: [node.url] }]);
    const at = `block_height=${FIRST + 5}`;
    const single = await balance.ask(`/v1/eth-mainnet/balance/native?holder=alice.eth&${at}`);
    expect([single.status, single.body]).toEqual([
      422,
      expect.objectContaining({
        code: 'no_names',
        message:
          'holder: eth-mainnet has no names here: they live on Ethereum, and this server has no Ethereum node; expected an address',
      }),
    ]);
    const rows = [
      { token_address: TOKEN, holder: 'alice.eth', block_height: FIRST + 5 },
      { token_address: TOKEN, holder: HOLDER, block_height: FIRST + 5 },
    ];
    const batch = await balance.ask('/v1/eth-mainnet/balance/batch', rows);
    expect(batch.body).toEqual([
      { error: expect.objectContaining({ code: 'no_names' }) },
      expect.objectContaining({ balance: '2' }),
    ]);
    await balance.stop();
    await node.stop();
  });
});

describe('a network that is known and has no node', () => {
  const HOLDER = '0x00000000000000000000000000000000000000aa';
  let node: FakeNode;
  let balance: RunningBalance;

  beforeAll(async () => {
    node = await startFakeNode({ chainId: 1, wei: 1n, balance: 2n, allowance: 3n, named: HOLDER });
    balance = await runBalance(node.url);
  });
  afterAll(async () => {
    await balance.stop();
    await node.stop();
  });

  it('is a 404 that names the served ones, and is never answered from another’s node', async () => {
    const query = `holder=${HOLDER}&block_height=${FIRST + 5}`;
    const before = node.calls;
    const { status, body } = await balance.ask(`/v1/base-mainnet/balance/native?${query}`);
    expect([status, body.message]).toEqual([
      404,
      'The network base-mainnet is not served here; served: eth-mainnet',
    ]);
    expect(node.calls).toBe(before);
  });
});
