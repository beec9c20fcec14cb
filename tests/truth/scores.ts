/** Votes of all holders by Snapshot's strategies, from plain calls at the same block. */
import { HOLDERS, LANDMARKS, TOKENS, type TokenName } from '@hindsight/devchain/world.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { formatUnits } from 'ethers';
import type { Chain } from './inquiries.ts';
import type { SeededNode } from './nodes.ts';
import { assetsOf, ETHER, numberIn, pinnedAt, SPREAD, type Fields, type Raw, type View } from './views.ts';

const VOTERS = Object.values(HOLDERS);

/** A strategy, its calls for a voter, and the voter's amount from their results. */
interface Strategy {
  readonly given: Fields;
  readonly calls: (voter: string) => readonly (readonly [string, string, readonly unknown[]])[];
  readonly amount: (raws: readonly Raw[]) => bigint;
  readonly decimals: number;
}

const amountOf = ([raw]: readonly Raw[]): bigint => BigInt(numberIn(raw)!);

function balances(name: string, token: TokenName, decimals: number): Strategy {
  const { address } = TOKENS[token];
  return {
    given: { name, params: { address, decimals } },
    calls: (voter) => [[address, 'balanceOf', [voter]]],
    amount: amountOf,
    decimals,
  };
}

/** Strategies whose contracts are deployed before the traffic. */
const ALWAYS: readonly Strategy[] = [
  balances('erc20-balance-of', 'uni', 18),
  balances('erc20-balance-of', 'usdc', 6),
  balances('erc20-balance-of', 'steth', 18),
  balances('erc721', 'bayc', 0),
  {
    given: { name: 'eth-balance', params: {} },
    calls: (voter) => [['', ETHER, [voter]]],
    amount: amountOf,
    decimals: 18,
  },
];
const SAVED: Strategy = {
  given: { name: 'erc4626-assets-of', params: { address: TOKENS.savings.address } },
  calls: (voter) => [
    [TOKENS.savings.address, 'balanceOf', [voter]],
    [TOKENS.savings.address, 'totalSupply', []],
    [TOKENS.uni.address, 'balanceOf', [TOKENS.savings.address]],
  ],
  amount: ([own, ...worth]) => assetsOf(BigInt(numberIn(own)!), worth),
  decimals: 18,
};

/** Votes over the whole plan, and those of the vault's shares. */
export function scoresOf(node: SeededNode, chain: Chain, network: Network): View[] {
  const { savingsOpen, savingsEarn } = LANDMARKS;
  const votes = (block: number, strategies: readonly Strategy[]): View =>
    vote(chain, network, node.heightOf(block), strategies);
  return [
    ...SPREAD.map((block) => votes(block, ALWAYS)),
    ...[savingsOpen, savingsEarn].map((block) => votes(block, [SAVED, ...ALWAYS])),
  ];
}

function vote(
  chain: Chain,
  { name, chainId }: Network,
  height: number,
  strategies: readonly Strategy[],
): View {
  const asked = strategies.flatMap((strategy) =>
    VOTERS.map((voter) => ({ strategy, voter, calls: strategy.calls(voter) })),
  );
  const params = {
    ...{ network: String(chainId), snapshot: height, addresses: VOTERS },
    strategies: strategies.map(({ given }) => given),
  };
  return {
    path: '/v1/scores',
    body: { params },
    calls: asked.flatMap(({ calls }) => calls.map((call) => [...call, height] as const)),
    read: ({ result }) => result as Fields,
    expected(raws) {
      let at = 0;
      const votes = asked.map(({ strategy, voter, calls }) => {
        const amount = strategy.amount(raws.slice(at, (at += calls.length)));
        const units = amount * 10n ** BigInt(18 - strategy.decimals);
        return { strategy, voter, units, float: Number(textOf(units)) };
      });
      const counted = votes.filter(({ units }) => units > 0n);
      const rows = strategies.map((strategy) => counted.filter((one) => one.strategy === strategy));
      const totals = VOTERS.map((voter) => {
        const own = counted.filter((one) => one.voter === voter);
        const units = own.reduce((sum, one) => sum + one.units, 0n);
        return { voter, units, float: own.reduce((sum, one) => sum + one.float, 0) };
      }).filter(({ units }) => units > 0n);
      return {
        state: 'final',
        scores: rows.map(floatsOf),
        exact: rows.map(textsOf),
        total: floatsOf(totals),
        exact_total: textsOf(totals),
        blocks: [{ network_name: name, chain_id: chainId, ...pinnedAt(chain, height) }],
      };
    },
  };
}

interface Vote {
  readonly voter: string;
  /** In 1e-18. */
  readonly units: bigint;
  readonly float: number;
}

function floatsOf(votes: readonly Vote[]): Fields {
  return Object.fromEntries(votes.map(({ voter, float }) => [voter, float]));
}

function textsOf(votes: readonly Vote[]): Fields {
  return Object.fromEntries(votes.map(({ voter, units }) => [voter, textOf(units)]));
}

function textOf(units: bigint): string {
  return formatUnits(units).replace(/\.0$/, '');
}
