/** Two tokens on a chain of their own: one takes fees, rebases and destroys itself, the other is spent without an event. */
import { anvilNode } from '@hindsight/devchain/anvil-node.ts';
import { startAnvil } from '@hindsight/devchain/anvil.ts';
import { gethAlloc, gethNode } from '@hindsight/devchain/geth-node.ts';
import { LedgerBook } from '@hindsight/devchain/ledger.ts';
import type { Plan, PlannedTransaction } from '@hindsight/devchain/plan-format.ts';
import { OrderedRpc } from '@hindsight/devchain/rpc.ts';
import { seed } from '@hindsight/devchain/seed.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { startGeth } from '@hindsight/tools/servers/geth.ts';
import { getCreateAddress, id } from 'ethers';
import type { Chain } from './inquiries.ts';
import type { SeededNode } from './nodes.ts';
import { allowancesOf, changes } from './searches.ts';
import { numberIn, pinnedAt, series, type Fields, type View } from './views.ts';

const { alice, bob, builder } = HOLDERS;
const TRANSFER = id('Transfer(address,address,uint256)').slice(2);
const APPROVAL = id('Approval(address,address,uint256)').slice(2);
const push = (address: string): string => `73${address.slice(2).toLowerCase()}`;
/** With 0 bytes it destroys itself, with 32 its number becomes them, with 64 an event claims the second word came in. */
const RUNTIME = [
  '368015601b57',
  '80602014601e57',
  '604014602457',
  '5f545f5260205ff3',
  '5b33ff',
  '5b5f355f5500',
  `5b5f355f556020355f52${push(alice)}5f7f${TRANSFER}60205fa300`,
].join('');
/** Everything is answered with its number: alice's balance, what bob may spend, the supply. At first that is 7. */
const START = `60075f5560075f52${push(alice)}5f7f${TRANSFER}60205fa3${push(bob)}${push(alice)}7f${APPROVAL}60205fa3`;
const hexByte = (value: number): string => value.toString(16).padStart(2, '0');
const INIT = `0x${START}60${hexByte(RUNTIME.length / 2)}8060${hexByte(START.length / 2 + 9)}5f395ff3${RUNTIME}`;

const [MORTAL, SILENT] = [0, 1].map((nonce) => getCreateAddress({ from: builder, nonce })) as [
  string,
  string,
];
const words = (...values: number[]): string =>
  `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`;
/** A block each. */
const STORY: readonly (readonly [to: string | null, data: string])[] = [
  [null, INIT],
  [null, INIT],
  // 100 came in by the event, 90 by the balance.
  [MORTAL, words(97, 100)],
  [MORTAL, words(250)],
  [SILENT, words(3)],
  [MORTAL, '0x'],
  [SILENT, words(0)],
  [SILENT, words(5, 5)],
];

const PLAN: Plan = {
  genesis: {
    number: CHAIN.genesis,
    timestamp: CHAIN.genesisTime,
    balances: new Map(),
    nonces: new Map(),
    code: new Map(),
  },
  blocks: STORY.map(([to, data], i) => {
    const value = 0n;
    const transaction: PlannedTransaction = {
      from: builder,
      nonce: i,
      to,
      data,
      value,
      gas: 500_000,
      fails: false,
    };
    const timestamp = CHAIN.genesisTime + 12 * (i + 1);
    return { number: CHAIN.genesis + i + 1, timestamp, transactions: [transaction] };
  }),
  ledger: new LedgerBook(),
};

/** anvil with the story on it. */
export async function anvilWithMortals(): Promise<SeededNode> {
  const { url, stop } = await startAnvil({
    host: '127.0.0.1',
    port: 0,
    log: () => undefined,
    hardfork: 'shanghai',
  });
  const rpc = new OrderedRpc(url);
  await seed(anvilNode(rpc), PLAN).finally(() => rpc.close());
  return { name: 'anvil', url, stop, heightOf: (block) => block, extraWei: () => 0n };
}

/** geth with the story on it. */
export async function gethWithMortals(): Promise<SeededNode> {
  const geth = await startGeth({ beforeCancun: true, alloc: gethAlloc(PLAN.genesis) });
  const rpc = new OrderedRpc(geth.url);
  const node = gethNode(rpc);
  await seed(node, PLAN).finally(() => rpc.close());
  return {
    name: 'geth',
    url: geth.url,
    stop: () => geth.stop(),
    heightOf: node.heightOf,
    extraWei: node.extraWei,
  };
}

/** Both tokens by every endpoint, at every block of the story. */
export function mortalViews(chain: Chain): View[] {
  const heights = [...chain.headers.keys()].sort((one, other) => one - other);
  const [first, last] = [heights[0]!, heights.at(-1)!];
  const tokens = [MORTAL, SILENT];
  return [
    ...heights.flatMap((height) => [
      ...tokens.flatMap((token) => single(token, height, pinnedAt(chain, height))),
      holdings(tokens, height),
      allowancesOf(
        alice,
        tokens.map((token) => [token, bob]),
        height,
      ),
    ]),
    ...tokens.flatMap((token) => [
      changes(chain, token, alice),
      series(
        chain,
        `balance/series?token_address=${token}&holder=${alice}&from=${first}&to=${last}&step=1`,
        [token, alice],
        heights.map((height) => ({ height, instant: null })),
      ),
    ]),
  ];
}

function single(token: string, height: number, pinned: Fields): View[] {
  const at = `token_address=${token}&block_height=${height}`;
  const [uint, call] = ['(address) returns (uint256)', 'balanceOf'];
  return [
    {
      path: `balance/single?holder=${alice}&${at}`,
      calls: [[token, 'balanceOf', [alice], height]],
      expected: ([raw]) => found(pinned, 'balance', numberIn(raw)),
    },
    {
      path: `supply?${at}`,
      calls: [[token, 'totalSupply', [], height]],
      expected: ([raw]) => found(pinned, 'total_supply', numberIn(raw)),
    },
    {
      path: 'call',
      body: { target: token, function: call + uint, args: [[alice]], block_height: height },
      calls: [[token, 'balanceOf', [alice], height]],
      expected: ([raw]) => found(pinned, 'results', numberIn(raw), (value) => [{ values: [value] }]),
    },
  ];
}

function found(
  pinned: Fields,
  field: string,
  value: string | undefined,
  shown: (value: string) => unknown = (text) => text,
): Fields | undefined {
  return value === undefined ? undefined : { ...pinned, [field]: shown(value) };
}

function holdings(tokens: readonly string[], height: number): View {
  const sorted = tokens.toSorted();
  return {
    path: `portfolio?holder=${alice}&block_height=${height}`,
    calls: sorted.map((token) => [token, 'balanceOf', [alice], height]),
    read: (body) => ({
      tokens: (body.tokens as Fields[]).map(({ token_address, balance }) => [token_address, balance]),
    }),
    expected: (raws) => ({
      tokens: sorted.flatMap((token, i) => {
        const balance = numberIn(raws[i]) ?? '0';
        return balance === '0' ? [] : [[token, balance]];
      }),
    }),
  };
}
