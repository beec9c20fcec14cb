/**
 * Tokens on a separate chain: one takes fees, rebases and destroys itself, one is spent without an event; an
 * ERC-721, an ERC-1155 and two vaults destroy themselves, one of them after its asset.
 */
import { loadArtifact, type Artifact } from '@hindsight/devchain/artifacts.ts';
import { HOLDERS } from '@hindsight/devchain/world.ts';
import { id } from 'ethers';
import type { Chain } from './inquiries.ts';
import type { SeededNode } from './nodes.ts';
import { allowancesOf, changes, holdingsOf } from './searches.ts';
import { anvilWith, createdBy, gethWith, planOf, type Step } from './stories.ts';
import { codeOf, numberIn, pinnedAt, series, type Fields, type View } from './views.ts';

const { alice, bob } = HOLDERS;
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
/** Answers everything with its number: alice's balance, bob's allowance, the supply. At first that is 7. */
const START = `60075f5560075f52${push(alice)}5f7f${TRANSFER}60205fa3${push(bob)}${push(alice)}7f${APPROVAL}60205fa3`;
const hexByte = (value: number): string => value.toString(16).padStart(2, '0');
export const INIT = `0x${START}60${hexByte(RUNTIME.length / 2)}8060${hexByte(START.length / 2 + 9)}5f395ff3${RUNTIME}`;

const [MORTAL, SILENT, APES, ITEMS, VAULT, SAVINGS] = [0, 1, 2, 3, 4, 5].map(createdBy) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
/** Data that sets a number of the first two contracts, and with a second word claims in an event what came in. */
export const words = (...values: number[]): string =>
  `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`;
const [apes, items, vault] = ['MortalApes', 'MortalItems', 'MortalVault'].map(loadArtifact) as [
  Artifact,
  Artifact,
  Artifact,
];
const vaultOf = (asset: string): string => vault.bytecode + vault.interface.encodeDeploy([asset]).slice(2);
const DESTROY = id('destroy()').slice(0, 10);
const APE = '7';
const ITEM = '3';
const SHARES = '10';

/** A block each. */
const STORY: readonly (readonly Step[])[] = [
  [
    [null, INIT],
    [null, INIT],
  ],
  [
    [null, apes.bytecode],
    [null, items.bytecode],
    [null, vaultOf(MORTAL)],
    [null, vaultOf(SILENT)],
  ],
  [
    [APES, apes.interface.encodeFunctionData('mint', [alice, APE])],
    [ITEMS, items.interface.encodeFunctionData('mint', [alice, ITEM, 40])],
    [VAULT, vault.interface.encodeFunctionData('mint', [alice, SHARES])],
    [SAVINGS, vault.interface.encodeFunctionData('mint', [alice, SHARES])],
  ],
  // 100 came in by the event, 90 by the balance.
  [[MORTAL, words(97, 100)]],
  [[MORTAL, words(250)]],
  [
    [SILENT, words(3)],
    [APES, apes.interface.encodeFunctionData('approveFor', [alice, bob])],
    [ITEMS, items.interface.encodeFunctionData('approveFor', [alice, bob])],
  ],
  [[MORTAL, '0x']],
  [
    [SILENT, words(0)],
    [APES, DESTROY],
  ],
  [
    [SILENT, words(5, 5)],
    [ITEMS, DESTROY],
    [VAULT, DESTROY],
  ],
  [[SAVINGS, DESTROY]],
  [[SILENT, words(6)]],
];

const PLAN = planOf(STORY);

/** anvil with the story on it. */
export const anvilWithMortals = (): Promise<SeededNode> => anvilWith(PLAN);

/** geth with the story on it. */
export const gethWithMortals = (): Promise<SeededNode> => gethWith(PLAN);

/** Those with a balance of alice's, which changes. */
export const HELD: readonly string[] = [MORTAL, SILENT, APES, VAULT, SAVINGS];

/** All of them by every endpoint, at every block of the story. */
export function mortalViews(chain: Chain): View[] {
  const heights = [...chain.headers.keys()].sort((one, other) => one - other);
  const [first, last] = [heights[0]!, heights.at(-1)!];
  return [
    ...heights.flatMap((height) => viewsAt(height, pinnedAt(chain, height))),
    ...HELD.flatMap((token) => [
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

function viewsAt(height: number, pinned: Fields): View[] {
  return [
    ...HELD.map((token) => balance(token, height, pinned)),
    ...[MORTAL, SILENT, VAULT].flatMap((token) => [
      allowance(token, height, pinned),
      supply(token, height, pinned),
      codeOf(token, height, pinned),
      call(token, height, pinned),
    ]),
    ...[APE, '8'].map((tokenId) => owner(tokenId, height, pinned)),
    item(height, pinned),
    worth(VAULT, MORTAL, height, pinned),
    worth(SAVINGS, SILENT, height, pinned),
    holdingsOf(alice, [[MORTAL], [SILENT], [APES], [ITEMS, ITEM], [VAULT], [SAVINGS]], height),
    allowancesOf(
      alice,
      [MORTAL, SILENT].map((token) => [token, bob]),
      height,
    ),
    operators(height),
  ];
}

function balance(token: string, height: number, pinned: Fields): View {
  return {
    path: `balance/single?holder=${alice}&token_address=${token}&block_height=${height}`,
    calls: [[token, 'balanceOf', [alice], height]],
    expected: ([raw]) => found(pinned, 'balance', numberIn(raw)),
  };
}

function allowance(token: string, height: number, pinned: Fields): View {
  return {
    path: `allowance/single?owner=${alice}&spender=${bob}&token_address=${token}&block_height=${height}`,
    calls: [[token, 'allowance', [alice, bob], height]],
    // None is a 404.
    expected: ([raw]) => (numberIn(raw) === '0' ? undefined : found(pinned, 'allowance', numberIn(raw))),
  };
}

function supply(token: string, height: number, pinned: Fields): View {
  return {
    path: `supply?token_address=${token}&block_height=${height}`,
    calls: [[token, 'totalSupply', [], height]],
    expected: ([raw]) => found(pinned, 'total_supply', numberIn(raw)),
  };
}

function call(target: string, height: number, pinned: Fields): View {
  const asked = 'balanceOf(address) returns (uint256)';
  return {
    path: 'call',
    body: { target, function: asked, args: [[alice]], block_height: height },
    calls: [[target, 'balanceOf', [alice], height]],
    expected: ([raw]) => found(pinned, 'results', numberIn(raw), (value) => [{ values: [value] }]),
  };
}

function owner(tokenId: string, height: number, pinned: Fields): View {
  return {
    path: `nft/owner?token_address=${APES}&token_id=${tokenId}&block_height=${height}`,
    calls: [[APES, 'ownerOf', [tokenId], height]],
    expected: ([raw]) => found(pinned, 'owner', numberIn(raw)),
  };
}

function item(height: number, pinned: Fields): View {
  return {
    path: `nft/balance?token_address=${ITEMS}&holder=${alice}&token_id=${ITEM}&block_height=${height}`,
    calls: [[ITEMS, 'items', [alice, ITEM], height]],
    expected: ([raw]) => found(pinned, 'balance', numberIn(raw)),
  };
}

function worth(token: string, asset: string, height: number, pinned: Fields): View {
  return {
    path: `vault/assets?token_address=${token}&holder=${alice}&block_height=${height}`,
    calls: [
      [token, 'balanceOf', [alice], height],
      [token, 'convertToAssets', [SHARES], height],
      [token, 'convertToAssets', ['0'], height],
    ],
    expected: ([own, all, none]) => {
      const shares = numberIn(own);
      const assets = numberIn(shares === SHARES ? all : none);
      if (shares === undefined || assets === undefined) return undefined;
      return { ...pinned, shares, assets, asset_address: asset };
    },
  };
}

function operators(height: number): View {
  const tokens = [APES, ITEMS].sort();
  return {
    path: `allowance/list?owner=${alice}&block_height=${height}`,
    calls: tokens.map((token) => [token, 'isApprovedForAll', [alice, bob], height]),
    read: ({ allowances }) => ({
      operators: (allowances as Fields[])
        .filter(({ token_type }) => token_type !== 'erc20')
        .map(({ token_address, spender, allowance }) => [token_address, spender, allowance]),
    }),
    expected: (raws) => ({
      operators: tokens.flatMap((token, i) => (numberIn(raws[i]) === 'true' ? [[token, bob, null]] : [])),
    }),
  };
}

function found(
  pinned: Fields,
  field: string,
  value: string | undefined,
  shown: (value: string) => unknown = (text) => text,
): Fields | undefined {
  return value === undefined ? undefined : { ...pinned, [field]: shown(value) };
}
