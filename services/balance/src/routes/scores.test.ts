/** Scores of Snapshot's strategies, from the ledger: exact, and the floats that its own code makes of them. */
import { describe, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { formatUnits } from 'ethers';
import { FIRST, startFakeNode } from '../../test/support/fake-node.ts';
import { runOnDevchain } from '../../test/support/on-devchain.ts';
import { runNetworks, type RunningBalance } from '../../test/support/run-balance.ts';

const { ledger } = buildPlan();
const { alice, bob, carol, treasury, vault } = HOLDERS;
const VOTERS = [alice, bob, carol, treasury, vault, UNUSED_ADDRESS];
const AT = 18_000_000;

const devchain = forAllTests(runOnDevchain, 'stop');
const amounts = { wei: 7n, balance: 3n * 10n ** 17n, allowance: 0n };
const node = forAllTests(() => startFakeNode({ chainId: 5_000, ...amounts, named: alice }), 'stop');
/** A network of its own, whose tokens all have the same balances. */
const OTHER = { ...ETH_MAINNET, name: 'other-net', chainId: 5_000 };
const both = forAllTests(() => {
  const { url } = devchain.devchain;
  return runNetworks([
    { network: ETH_MAINNET, urls: [url] },
    { network: OTHER, urls: [node.url] },
  ]);
}, 'stop');

interface Result {
  readonly state: string;
  readonly scores: readonly Readonly<Record<string, number>>[];
  readonly exact: readonly Readonly<Record<string, string>>[];
  readonly total: Readonly<Record<string, number>>;
  readonly exact_total: Readonly<Record<string, string>>;
  readonly blocks: readonly { readonly chain_id: number; readonly checked_at_block: number }[];
}

const ask = (params: object, service: RunningBalance = devchain) =>
  service.ask('/v1/scores', {
    params: { space: 'a.eth', network: '1', snapshot: AT, addresses: VOTERS, ...params },
  });

async function resultOf(
  strategies: readonly object[],
  more: object = {},
  service?: RunningBalance,
): Promise<Result> {
  const { status, body } = await ask({ strategies, ...more }, service);
  expect([status, body.message]).toEqual([200, undefined]);
  return body.result as Result;
}

/** As Snapshot's strategies make a score of an amount: the float of its decimal text; those above zero. */
function expected(amountOf: (voter: string) => bigint, decimals: number): Record<string, number> {
  const scores = VOTERS.map((voter) => [voter, parseFloat(formatUnits(amountOf(voter), decimals))] as const);
  return Object.fromEntries(scores.filter(([, score]) => score > 0));
}

const held = (token: string) => (voter: string) => ledger.balanceAt(token, voter, AT);
const usdc = TOKENS.usdc.address;
const balanceOf = {
  name: 'balanceOf',
  type: 'function',
  inputs: [{ name: 'a', type: 'address' }],
  outputs: [{ name: 'held', type: 'uint256' }],
};

describe('POST /v1/scores', () => {
  it.each<[string, object, Record<string, number>]>([
    ['erc20-balance-of', { address: usdc, decimals: 6, symbol: 'USDC' }, expected(held(usdc), 6)],
    ['erc20-balance-of', { address: TOKENS.uni.address }, expected(held(TOKENS.uni.address), 18)],
    ['erc20-balance-of', { address: usdc, decimals: '6' }, expected(held(usdc), 6)],
    ['eth-balance', { symbol: 'ETH' }, expected((voter) => ledger.nativeAt(voter, AT), 18)],
    ['erc721', { address: TOKENS.bayc.address }, expected(held(TOKENS.bayc.address), 0)],
    ['contract-call', { address: usdc, decimals: 6, methodABI: balanceOf }, expected(held(usdc), 6)],
    [
      'contract-call',
      { address: usdc, decimals: 6, methodABI: balanceOf, output: 'held' },
      expected(held(usdc), 6),
    ],
    [
      'contract-call',
      { address: usdc, decimals: 0, methodABI: balanceOf, args: [alice] },
      expected(() => held(usdc)(alice), 0),
    ],
    [
      'erc20-with-balance',
      { address: usdc, decimals: 6, minBalance: 1000 },
      expected((voter) => (held(usdc)(voter) > 1_000_000_000n ? 1n : 0n), 0),
    ],
    ['ticket', {}, expected(() => 1n, 0)],
    ['ticket', { value: 2.5 }, expected(() => 25n, 1)],
    ['whitelist', { addresses: [alice.toLowerCase(), bob] }, { [alice]: 1, [bob]: 1 }],
  ])('%s %j', async (name, params, scores) => {
    const result = await resultOf([{ name, params }]);
    expect(result.scores).toEqual([scores]);
    const exact = Object.entries(result.exact[0]!).map(([voter, text]) => [voter, Number(text)]);
    expect(Object.fromEntries(exact)).toEqual(scores);
  });

  it('counts items of an ERC-1155 contract, and what shares of a vault are worth', async () => {
    const at = LANDMARKS.savingsEarn;
    const { scores, exact } = await resultOf(
      [
        { name: 'erc1155-balance-of', params: { address: TOKENS.items.address, tokenId: '0', decimals: 0 } },
        { name: 'erc4626-assets-of', params: { address: TOKENS.savings.address } },
      ],
      { snapshot: at },
    );
    const items = await devchain.ask(
      `/v1/eth-mainnet/nft/balance?token_address=${TOKENS.items.address}&holder=${alice}&token_id=0&block_height=${at}`,
    );
    expect(scores[0]![alice]).toBe(Number(items.body.balance));
    const worth = await devchain.ask(
      `/v1/eth-mainnet/vault/assets?token_address=${TOKENS.savings.address}&holder=${alice}&block_height=${at}`,
    );
    expect(exact[1]![alice]).toBe(formatUnits(BigInt(worth.body.assets as string)).replace(/\.0$/, ''));
  });

  it('is exact where a float is not, and sums both', async () => {
    const uni = { name: 'erc20-balance-of', params: { address: TOKENS.uni.address } };
    const { scores, exact, total, exact_total } = await resultOf([uni, { name: 'ticket', params: {} }]);
    const amount = held(TOKENS.uni.address)(alice);
    expect(exact[0]![alice]).toBe(formatUnits(amount).replace(/\.0$/, ''));
    expect(exact_total[alice]).toBe(formatUnits(amount + 10n ** 18n).replace(/\.0$/, ''));
    expect(total[alice]).toBe(scores[0]![alice]! + 1);
  });

  it('answers about the block of the snapshot, named with its hash', async () => {
    const result = await resultOf([{ name: 'ticket', params: {} }]);
    expect(result.state).toBe('final');
    expect(result.blocks).toEqual([
      expect.objectContaining({
        chain_id: 1,
        checked_at_block: AT,
        finalized: true,
        network_name: 'eth-mainnet',
      }),
    ]);
    const latest = await resultOf([{ name: 'ticket', params: {} }], { snapshot: 'latest' });
    expect([latest.state, latest.blocks[0]!.checked_at_block]).toEqual(['pending', CHAIN.head]);
  });

  it('leaves out a strategy before its start and after its end, as Snapshot does', async () => {
    const of = (limits: object) => ({ name: 'ticket', params: limits });
    const { scores } = await resultOf(
      [of({ start: AT + 1 }), of({ start: AT }), of({ end: AT - 1 }), of({ end: AT })],
      { addresses: [alice] },
    );
    expect(scores).toEqual([{}, { [alice]: 1 }, {}, { [alice]: 1 }]);
  });

  it('answers the same at the path that clients of Snapshot use, and nothing without addresses', async () => {
    const params = {
      network: 1,
      snapshot: String(AT),
      addresses: [],
      strategies: [{ name: 'ticket', params: {} }],
    };
    const { status, body } = await devchain.ask('/api/scores', { params });
    expect([status, (body.result as Result).scores]).toEqual([200, [{}]]);
  });

  it('costs a unit for each hundred scores that are begun', async () => {
    const addresses = Array.from({ length: 150 }, (_, i) => `0x${i.toString(16).padStart(40, '1')}`);
    const { headers } = await ask({
      addresses,
      strategies: [1, 2].map(() => ({ name: 'ticket', params: {} })),
    });
    expect(headers.get('x-hindsight-units')).toBe('3');
  });

  it.each<[string, object, number, string, string]>([
    [
      'an unknown strategy',
      { strategies: [{ name: 'delegation', params: {} }] },
      422,
      'strategy_unsupported',
      'params.strategies[0]: the strategy delegation',
    ],
    [
      'the name of an inherited property',
      { strategies: [{ name: 'constructor', params: {} }] },
      422,
      'strategy_unsupported',
      'constructor',
    ],
    [
      'a whitelist of a url',
      { strategies: [{ name: 'whitelist', params: { url: 'https://a.example' } }] },
      422,
      'strategy_unsupported',
      'whitelist with a url',
    ],
    [
      'a snapshot above the head',
      { snapshot: 99_999_999, strategies: [{ name: 'ticket', params: {} }] },
      404,
      'block_above_head',
      'params.snapshot: block 99999999',
    ],
    [
      'no snapshot',
      { snapshot: undefined, strategies: [{ name: 'ticket', params: {} }] },
      400,
      'invalid_parameter',
      'params.snapshot: expected the number of a block',
    ],
    [
      'a network that is not served',
      { network: '56', strategies: [{ name: 'ticket', params: {} }] },
      404,
      'unknown_network',
      '56',
    ],
    [
      'an account in place of a token',
      { strategies: [{ name: 'erc20-balance-of', params: { address: alice } }] },
      422,
      'strategy_failed',
      `${alice} gives no number for ${alice}`,
    ],
    [
      'a contract that reverts',
      { strategies: [{ name: 'erc20-votes', params: { address: usdc } }] },
      422,
      'strategy_failed',
      'erc20-votes',
    ],
    [
      'a contract that burns its gas',
      {
        addresses: [bob],
        strategies: [{ name: 'erc20-balance-of', params: { address: CONTRACTS.gasBurner } }],
      },
      422,
      'strategy_failed',
      CONTRACTS.gasBurner,
    ],
    [
      'a missing address',
      { strategies: [{ name: 'erc721', params: {} }] },
      400,
      'invalid_parameter',
      'params.strategies[0].params.address',
    ],
    [
      'a method without a number',
      {
        strategies: [
          { name: 'contract-call', params: { address: usdc, methodABI: { ...balanceOf, outputs: [] } } },
        ],
      },
      400,
      'invalid_parameter',
      'methodABI',
    ],
    [
      'a nested multichain',
      { strategies: [{ name: 'multichain', params: { strategies: [{ name: 'multichain' }] } }] },
      422,
      'strategy_unsupported',
      'params.strategies[0].params.strategies[0]',
    ],
    [
      'too many strategies',
      {
        strategies: Array.from({ length: 2 }, () => ({
          name: 'multichain',
          params: { strategies: Array(6).fill({ name: 'ticket' }) },
        })),
      },
      400,
      'invalid_parameter',
      'at most 10',
    ],
  ])('refuses %s', async (_what, params, status, code, words) => {
    const { status: answered, body } = await ask(params);
    expect([answered, body.code]).toEqual([status, code]);
    expect(body.message).toContain(words);
  });
});

describe('multichain', () => {
  const token = { address: usdc, decimals: 18 };

  it('adds the scores of networks, each at the time of the snapshot', async () => {
    const there = { name: 'erc20-balance-of', network: '5000', params: token };
    const strategies = [
      there,
      { ...there, network: '1', params: { ...token, decimals: 6 } },
      { ...there, network: 5000 },
    ];
    const more = { addresses: [alice], snapshot: CHAIN.head };
    const { scores, exact, blocks } = await resultOf(
      [{ name: 'multichain', params: { strategies } }],
      more,
      both,
    );
    const own = Number(formatUnits(ledger.balanceAt(usdc, alice, CHAIN.head), 6));
    // The order of the sum decides its last digit.
    expect(scores).toEqual([{ [alice]: 0.3 + own + 0.3 }]);
    expect(exact[0]![alice]).toBe(formatUnits(ledger.balanceAt(usdc, alice, CHAIN.head) + 600_000n, 6));
    expect(blocks.map(({ chain_id }) => chain_id)).toEqual([1, 5_000]);
  });

  it('leaves out a network before its start', async () => {
    const strategies = [
      { name: 'ticket', network: '5000', params: {} },
      { name: 'ticket', network: '1', params: {} },
    ];
    const params = { strategies, startBlocks: { '5000': FIRST + 1_000_000 } };
    const { scores } = await resultOf(
      [{ name: 'multichain', params }],
      { addresses: [alice], snapshot: CHAIN.head },
      both,
    );
    expect(scores).toEqual([{ [alice]: 1 }]);
  });
});
