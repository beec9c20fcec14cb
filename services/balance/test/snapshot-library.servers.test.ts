/**
 * Scores against Snapshot's own library on the same node: its multicall, its formatting and its client of the score API. Its
 * strategies are on no registry; what they compute from the library's answers is written here as their source has it
 * (https://github.com/snapshot-labs/score-api, src/strategies).
 */
import { beforeAll, expect, it } from '@jest/globals';
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { HOLDERS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runOnOwnDevchain } from './support/on-devchain.ts';

type Call = readonly [target: string, name: string, args: readonly unknown[]];
interface Library {
  readonly utils: {
    multicall(
      this: void,
      network: string,
      provider: unknown,
      abi: readonly unknown[],
      calls: readonly Call[],
      options: { blockTag: number },
    ): Promise<readonly { toString(): string }[]>;
    getScores(
      this: void,
      space: string,
      strategies: readonly object[],
      network: string,
      addresses: readonly string[],
      snapshot: number,
      url: string,
    ): Promise<readonly Readonly<Record<string, number>>[]>;
  };
}
interface Strategy {
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const VOTERS = [...Object.values(HOLDERS), UNUSED_ADDRESS];
const BALANCE_OF = 'function balanceOf(address) view returns (uint256)';

await describeOnInstalled('Snapshot’s library', { name: 'snapshot-js', env: process.env }, (folder) => {
  const required = createRequire(join(folder, 'package.json'));
  const { utils } = required('@snapshot-labs/snapshot.js') as Library;
  const networks = required('@snapshot-labs/snapshot.js/src/networks.json') as {
    readonly 1: { readonly multicall: string };
  };
  const { formatUnits } = required('@ethersproject/units') as {
    formatUnits(this: void, value: string, decimals?: number): string;
  };
  const { StaticJsonRpcProvider } = required('@ethersproject/providers') as {
    StaticJsonRpcProvider: new (url: string, chainId: number) => unknown;
  };
  const balance = forAllTests(runOnOwnDevchain, 'stop');
  let provider: unknown;
  let snapshot: number;

  beforeAll(async () => {
    const { url } = balance.devchain;
    await ask(url, 'anvil_setCode', networks[1].multicall, loadArtifact('CallAggregator').runtime);
    await mine(url);
    snapshot = Number(await ask(url, 'eth_blockNumber'));
    provider = new StaticJsonRpcProvider(url, 1);
  });

  const read = (abi: unknown, calls: readonly Call[]) =>
    utils.multicall('1', provider, [abi], calls, { blockTag: snapshot });
  const ofEach = async (abi: unknown, callOf: (voter: string) => Call, decimals: number) =>
    (await read(abi, VOTERS.map(callOf))).map((value) => parseFloat(formatUnits(value.toString(), decimals)));

  const { usdc, uni, weth, bayc, items, savings } = TOKENS;
  const methodABI = {
    name: 'balanceOf',
    type: 'function',
    stateMutability: 'view',
    inputs: [{ name: 'a', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  };
  const balances = (address: string, decimals: number) => () =>
    ofEach(BALANCE_OF, (voter) => [address, 'balanceOf', [voter]], decimals);

  it.each<[string, Strategy['params'], () => Promise<readonly number[]>]>([
    ['erc20-balance-of', { address: usdc.address, decimals: 6 }, balances(usdc.address, 6)],
    ['erc20-balance-of', { address: uni.address }, balances(uni.address, 18)],
    ['erc20-balance-of', { address: weth.address, decimals: 18 }, balances(weth.address, 18)],
    ['erc721', { address: bayc.address }, balances(bayc.address, 0)],
    ['contract-call', { address: usdc.address, decimals: 6, methodABI }, balances(usdc.address, 6)],
    [
      'erc20-with-balance',
      { address: usdc.address, decimals: 6, minBalance: 5_000 },
      async () => (await balances(usdc.address, 6)()).map((score) => (score > 5_000 ? 1 : 0)),
    ],
    [
      'eth-balance',
      {},
      () =>
        ofEach(
          'function getEthBalance(address) view returns (uint256)',
          (voter) => [networks[1].multicall, 'getEthBalance', [voter]],
          18,
        ),
    ],
    [
      'erc1155-balance-of',
      { address: items.address, tokenId: '0', decimals: 0 },
      () =>
        ofEach(
          'function balanceOf(address, uint256) view returns (uint256)',
          (voter) => [items.address, 'balanceOf', [voter, '0']],
          0,
        ),
    ],
    [
      'erc4626-assets-of',
      { address: savings.address, decimals: 18 },
      async () => {
        const shares = await read(
          BALANCE_OF,
          VOTERS.map((voter): Call => [savings.address, 'balanceOf', [voter]]),
        );
        const assets = await read(
          'function convertToAssets(uint256) view returns (uint256)',
          shares.map((held): Call => [savings.address, 'convertToAssets', [held.toString()]]),
        );
        return assets.map((worth) => parseFloat(formatUnits(worth.toString(), 18)));
      },
    ],
  ])('gives the floats that %s %j is answered with', async (name, params, expected) => {
    const scores = await expected();
    const own = Object.fromEntries(
      VOTERS.map((voter, i) => [voter, scores[i]!] as const).filter(([, score]) => score > 0),
    );
    expect(Object.keys(own).length).toBeGreaterThan(0);
    const answered = await utils.getScores('a.eth', [{ name, params }], '1', VOTERS, snapshot, balance.url);
    expect(answered).toEqual([own]);
  });
});
