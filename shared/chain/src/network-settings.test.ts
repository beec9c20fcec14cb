import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError, type Environment } from '@hindsight/kernel/config.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  loadServing,
  NETWORK_SETTINGS,
  OPTIONAL_NETWORK_SETTINGS,
  servedNetworks,
} from './network-settings.ts';

const NODE = 'https://user:hunter2@node.example/key';
const OWN = {
  name: 'my-chain',
  chain_id: 31_337,
  native_coin: { symbol: 'MINE', decimals: 18 },
  rpc_urls: [NODE],
  first_block: 7,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'networks-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: unknown): string {
  const path = join(folder, 'networks.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function servedBy(env: Environment): unknown {
  return servedNetworks(loadServing(NETWORK_SETTINGS, env)).map(({ network, urls }) => [
    network.chainId,
    urls,
  ]);
}

function faultsOf(env: Environment): readonly string[] {
  try {
    loadServing(NETWORK_SETTINGS, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('the networks of a process', () => {
  it('are those that have nodes, mainnet first', () => {
    const env = {
      BASE_RPC_URL: 'http://b:1, http://b:2',
      ETH_RPC_URL: 'http://e:1',
      SEPOLIA_RPC_URL: 'http://s:1',
    };
    expect(servedBy(env)).toEqual([
      [1, ['http://e:1']],
      [8_453, ['http://b:1', 'http://b:2']],
      [11_155_111, ['http://s:1']],
    ]);
  });

  it('need not have mainnet among them', () => {
    expect(servedBy({ GNOSIS_RPC_URL: 'http://g:1' })).toEqual([[100, ['http://g:1']]]);
    expect(servedBy({ NETWORKS_FILE: fileOf([OWN]) })).toEqual([[31_337, [NODE]]]);
  });

  it('are one at least', () => {
    expect(faultsOf({})).toEqual([expect.stringContaining('ETH_RPC_URL is not set: URLs of Ethereum nodes')]);
    expect(loadServing(OPTIONAL_NETWORK_SETTINGS, {}).ETH_RPC_URL).toBeUndefined();
  });

  it('are limited by NETWORKS', () => {
    const nodes = { ETH_RPC_URL: 'http://e:1', OP_RPC_URL: 'http://o:1', BNB_RPC_URL: 'http://b:1' };
    expect(servedBy({ ...nodes, NETWORKS: 'bnb-mainnet, op-mainnet' })).toEqual([
      [10, ['http://o:1']],
      [56, ['http://b:1']],
    ]);
  });

  it('have nodes: NETWORKS names no other', () => {
    expect(
      faultsOf({ ETH_RPC_URL: 'http://e:1', NETWORKS: 'eth-mainnet,base-mainnet,my-chain,arb-mainnet' }),
    ).toEqual([
      'NETWORKS names base-mainnet: it needs BASE_RPC_URL',
      'NETWORKS names my-chain: it needs an entry in NETWORKS_FILE',
      'NETWORKS names arb-mainnet: it needs ARB_RPC_URL',
    ]);
  });
});

describe('a chain of one’s own', () => {
  it('is all that its entry says', () => {
    const [own] = servedNetworks(loadServing(NETWORK_SETTINGS, { NETWORKS_FILE: fileOf([OWN]) }));
    expect(own?.network).toMatchObject({
      name: 'my-chain',
      chainId: 31_337,
      native: { symbol: 'MINE', decimals: 18 },
      firstBlock: 7,
    });
  });

  it.each([
    ['is no JSON', '{"hunter2', 'the file holds no JSON'],
    ['is no list', OWN, 'the file: Invalid input: expected array, received object'],
    ['has no entry', [], /the file: Too small/],
    ['has an unknown field', [{ ...OWN, archive: true }], /entry 1: Unrecognized key: "archive"/],
    ['has no chain id', [OWN, { ...OWN, chain_id: 0 }], /entry 2, chain_id: Too small/],
    [
      'has a name that no path can have',
      [{ ...OWN, name: 'My Chain' }],
      /entry 1, name: expected a name as in a path/,
    ],
    [
      'has a URL of another kind',
      [{ ...OWN, rpc_urls: ['ws://hunter2'] }],
      /entry 1, rpc_urls.0: expected a URL/,
    ],
    [
      'names a known network',
      [{ ...OWN, name: 'base-mainnet' }],
      /clashes with base-mainnet, which has a setting/,
    ],
    ['has a known chain id', [{ ...OWN, chain_id: 1 }], /my-chain \(chain 1\) clashes with eth-mainnet/],
    [
      'has a chain twice',
      [OWN, { ...OWN, name: 'other' }],
      'entry 2: it has the name or the chain_id of entry 1',
    ],
    ['is too long', ' '.repeat(300_000), 'the file is larger than 256 KiB'],
  ])('is refused where the file %s, and no value of a URL is shown', (_, content, expected) => {
    const [fault, ...more] = faultsOf({ NETWORKS_FILE: fileOf(content) });
    expect(more).toEqual([]);
    expect(fault).toEqual(
      typeof expected === 'string' ? expect.stringContaining(expected) : expect.stringMatching(expected),
    );
    expect(fault).not.toContain('hunter2');
  });

  it('is refused where there is no file', () => {
    expect(faultsOf({ NETWORKS_FILE: join(folder, 'none.json') })).toEqual([
      expect.stringContaining('(ENOENT)'),
    ]);
  });
});
