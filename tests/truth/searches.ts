/**
 * Changes of one token and of a wallet, portfolios, lists of allowances, statements and books: logs name the candidates, and
 * plain calls at each block give the truth.
 */
import type { Ledger } from '@hindsight/devchain/ledger.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS, type TokenName } from '@hindsight/devchain/world.ts';
import type { Chain } from './inquiries.ts';
import type { SeededNode } from './nodes.ts';
import { ETHER, numberIn, type Fields, type Raw, type View } from './views.ts';

const { alice, bob, carol, relay, treasury, vault } = HOLDERS;
const ITEM_IDS = ['0', '1', '2'];
/** Its events do not name the accounts in topics, so no search finds it. */
const UNNAMED = TOKENS.kitties.address;
const BLOCKS = [
  LANDMARKS.aliceIsSpent[0],
  LANDMARKS.aliceIsSpent[2],
  LANDMARKS.usdcUpgrade,
  LANDMARKS.slashing,
  LANDMARKS.savingsEarn,
];
/** Rebased, upgraded, without Transfer, moved as a whole, ERC-721. */
const CHANGES: readonly (readonly [TokenName, string])[] = [
  ['steth', bob],
  ['usdc', treasury],
  ['usdc', vault],
  ['weth', alice],
  ['uni', alice],
  ['late', carol],
  ['bayc', carol],
];

/** Senders, whose fees no log names, and contracts. */
const ETHER_CHANGES = [alice, bob, carol, relay, treasury, vault, TOKENS.weth.address];

/** Wallets with tokens that emit an event for each change and tokens that do not; one token is deployed late. */
const WALLETS: readonly (readonly [holder: string, tokens: readonly (TokenName | null)[]])[] = [
  [alice, ['weth', null, 'uni', 'late']],
  [bob, ['steth', 'usdc', null]],
  [vault, [null, 'usdc', 'bayc']],
];

/** All of them on a seeded node. */
export function searchesOf(node: SeededNode, chain: Chain, ledger: Ledger): View[] {
  const perBlock = BLOCKS.flatMap((block) => [
    ...[alice, bob, treasury, vault].map((holder) => portfolio(holder, node.heightOf(block))),
    ...[alice, bob, carol, relay].map((owner) => allowances(ledger, owner, block, node.heightOf(block))),
  ]);
  return [
    ...perBlock,
    ...CHANGES.map(([token, holder]) => changes(chain, TOKENS[token].address, holder)),
    ...ETHER_CHANGES.map((holder) => changes(chain, null, holder)),
    ...WALLETS.map(([holder, tokens]) => walletChanges(chain, tokens, holder)),
    ...CHANGES.map(([token, holder]) => statement(chain, TOKENS[token].address, holder)),
    ...ETHER_CHANGES.map((holder) => statement(chain, null, holder)),
    ...BOOKED.flatMap((token) => BOOKED_HOLDERS.map((holder) => books(node, ledger, token, holder))),
  ];
}

function portfolio(holder: string, height: number): View {
  const named = Object.values(TOKENS).filter(({ address }) => address !== UNNAMED);
  const rows = named.flatMap(({ address, standard }): HoldingRow[] =>
    standard === 'erc1155' ? ITEM_IDS.map((id): HoldingRow => [address, id]) : [[address]],
  );
  return holdingsOf(holder, rows, height);
}

/** A token that a holder was involved with; of an ERC-1155 an id, too. */
type HoldingRow = readonly [token: string, id?: string];

/** All holdings of a holder. @param had ids of a token in ascending order */
export function holdingsOf(holder: string, had: readonly HoldingRow[], height: number): View {
  const rows = had.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    path: `portfolio?holder=${holder}&block_height=${height}`,
    calls: rows.map(([token, id]) =>
      id === undefined ? [token, 'balanceOf', [holder], height] : [token, 'items', [holder, id], height],
    ),
    read: ({ tokens, asked }) => ({
      tokens: (tokens as Fields[]).map(({ token_address, token_id, balance }) => [
        token_address,
        token_id ?? null,
        balance,
      ]),
      complete: (asked as Fields).complete,
    }),
    expected: (raws) => ({
      tokens: rows.flatMap(([token, id], i) => {
        const balance = amountIn(raws[i]);
        return balance === '0' ? [] : [[token, id ?? null, balance]];
      }),
      complete: true,
    }),
  };
}

function allowances(ledger: Ledger, owner: string, block: number, height: number): View {
  const given = ledger.entries.flatMap((entry) =>
    entry.kind === 'allowance' && entry.owner === owner && entry.block <= block
      ? [`${entry.token} ${entry.spender}`]
      : [],
  );
  const pairs = [...new Set(given)].map((pair) => pair.split(' ') as [string, string]);
  return allowancesOf(owner, pairs, height);
}

/** All allowances of an owner. @param given pairs of a token and a spender */
export function allowancesOf(
  owner: string,
  given: readonly (readonly [token: string, spender: string])[],
  height: number,
): View {
  const pairs = given.toSorted((one, other) => (one.join(' ') < other.join(' ') ? -1 : 1));
  return {
    path: `allowance/list?owner=${owner}&block_height=${height}`,
    calls: pairs.map(([token, spender]) => [token, 'allowance', [owner, spender], height]),
    read: (body) => ({
      allowances: (body.allowances as Fields[])
        .filter(({ token_type }) => token_type === 'erc20')
        .map(({ token_address, spender, allowance }) => [token_address, spender, allowance]),
      complete: (body.asked as Fields).complete,
    }),
    expected: (raws) => ({
      allowances: pairs.flatMap(([token, spender], i) => {
        const allowance = amountIn(raws[i]);
        return allowance === '0' ? [] : [[token, spender, allowance]];
      }),
      complete: true,
    }),
  };
}

/** Every block in which a plain call gives another result than in the block before. @param token null for ether */
export function changes({ headers, first }: Chain, token: string | null, holder: string): View {
  const heights = [...headers.keys()].sort((one, other) => one - other);
  const path = `balance/changes?token_address=${token ?? 'native'}&holder=${holder}`;
  return {
    path: `${path}&from=${first}&to=${heights.at(-1)}&limit=1000`,
    calls: heights.map((height) =>
      token === null ? ['', ETHER, [holder], height] : [token, 'balanceOf', [holder], height],
    ),
    read: (body) => ({ changes: changesIn(body), next: body.next }),
    expected: (raws) => ({
      changes: heights.flatMap((height, i) => {
        const [before, after] = [amountIn(raws[i - 1]), amountIn(raws[i])];
        if (i === 0 || before === after) return [];
        return [[heights[i - 1], height, headers.get(height)?.hash, before, after]];
      }),
      next: null,
    }),
    // Only the ends and the blocks that events name are read: a node may have forgotten others.
    agrees(raws, { changes: found }) {
      const after = new Map(
        (found as Fields[]).map(({ block, balance_after }) => [block, balance_after ?? '0']),
      );
      const isKnown = (i: number): boolean => raws[i] !== 'no-state';
      const holds = (height: number, i: number): boolean => {
        if (i === 0 || !isKnown(i - 1) || !isKnown(i)) return true;
        const [before, now] = [amountIn(raws[i - 1]), amountIn(raws[i])];
        return before === now ? !after.has(height) : after.get(height) === now;
      };
      return isKnown(0) && isKnown(raws.length - 1) && heights.every(holds);
    },
  };
}

/** The rows of changes: blocks, hash and balances. */
export function changesIn({ changes: found }: Fields): unknown[][] {
  return (found as Fields[]).map(({ block, block_hash, after_block, balance_before, balance_after }) => [
    after_block,
    block,
    block_hash,
    balance_before ?? '0',
    balance_after ?? '0',
  ]);
}

/** The changes of each token in one list, by block and then in the order of the tokens. */
function walletChanges(chain: Chain, names: readonly (TokenName | null)[], holder: string): View {
  const parts = names.map((name) => {
    const token = name === null ? null : TOKENS[name].address;
    return { asset: token ?? 'native', view: changes(chain, token, holder) };
  });
  const assets = parts.map(({ asset }) => asset).join(',');
  const size = chain.headers.size;
  const own = (raws: readonly Raw[], i: number): readonly Raw[] => raws.slice(i * size, (i + 1) * size);
  const heightIn = (row: readonly unknown[]): number => row[2] as number;
  return {
    path: `wallet/changes?token_address=${assets}&holder=${holder}&from=${chain.first}&to=${chain.head}&limit=1000`,
    calls: parts.flatMap(({ view }) => view.calls),
    read: ({ changes: found, next }) => ({
      changes: (found as Fields[]).map((one) => [one.token_address, ...changesIn({ changes: [one] })[0]!]),
      next,
    }),
    expected: (raws) => ({
      changes: parts
        .flatMap(({ asset, view }, i) => {
          const rows = view.expected(own(raws, i))!.changes as unknown[][];
          return rows.map((row) => [asset, ...row]);
        })
        .sort((one, other) => heightIn(one) - heightIn(other)),
      next: null,
    }),
    agrees: (raws, { changes: found }) =>
      parts.every(({ asset, view }, i) => {
        const its = (found as Fields[]).filter(({ token_address }) => token_address === asset);
        return view.agrees!(own(raws, i), { changes: its });
      }),
  };
}

/** Blocks of a period. */
export const PERIOD = 29;

/** Each period's ends as plain calls give them, and a difference without a rest. @param token null for ether */
function statement({ first, head, headers }: Chain, token: string | null, holder: string): View {
  const count = Math.ceil((head - first) / PERIOD);
  const heights = Array.from({ length: count + 1 }, (_, i) => Math.min(first + i * PERIOD, head));
  const asked = `token_address=${token ?? 'native'}&holder=${holder}&from=${first}&to=${head}&step=${PERIOD}`;
  return {
    path: `balance/statement?${asked}`,
    calls: heights.map((height) =>
      token === null ? ['', ETHER, [holder], height] : [token, 'balanceOf', [holder], height],
    ),
    read: (body) => ({ complete: body.complete, periods: periodsIn(body) }),
    expected: (raws) => ({
      complete: true,
      periods: heights.slice(1).map((height, i) => {
        const hashes = [heights[i]!, height].map((at) => headers.get(at)?.hash);
        return [...hashes, amountIn(raws[i]), amountIn(raws[i + 1]), true];
      }),
    }),
  };
}

/** The rows of a statement: hashes, balances, and true where opening and flows add up to closing. */
export function periodsIn({ periods }: Fields): unknown[][] {
  return (periods as Fields[]).map((period) => {
    const { from_block_hash, to_block_hash, opening, closing } = period;
    const [from, into, out, rest, to] = [opening, period.in, period.out, period.unexplained, closing].map(
      (amount) => BigInt((amount ?? 0) as string),
    );
    const isEven = to === from! + into! - out! + rest! || opening === null || closing === null;
    return [from_block_hash, to_block_hash, opening ?? '0', closing ?? '0', isEven];
  });
}

/** Rebasing, with a fee, without Transfer, upgraded, deployed late, a vault, ERC-721, and plain ones. */
const BOOKED = [
  ...['steth', 'usdt', 'weth', 'usdc', 'late', 'savings', 'bayc', 'uni', 'mkr', 'nameless'],
] as readonly TokenName[];
const BOOKED_HOLDERS = [alice, bob, carol, treasury];

/** Books that have the ledger's balance after each block of the plan: all of them are right. */
function books(node: SeededNode, ledger: Ledger, token: TokenName, holder: string): View {
  const { address, since } = TOKENS[token];
  const blocks = Array.from({ length: CHAIN.head - CHAIN.story + 1 }, (_, i) => CHAIN.story + i);
  const rows = blocks.map((block) => ({
    block_height: node.heightOf(block),
    balance: block < since ? '0' : String(ledger.balanceAt(address, holder, block)),
  }));
  return {
    path: 'balance/reconcile',
    body: { token_address: address, holder, rows },
    calls: rows.map(({ block_height: height }) => [address, 'balanceOf', [holder], height]),
    read: ({ rows: read, first_divergence }) => ({
      first_divergence,
      rows: (read as Fields[]).map(({ block, balance, equal }) => [block, balance ?? '0', equal ?? true]),
    }),
    expected: (raws) => ({
      first_divergence: null,
      rows: rows.map(({ block_height: height }, i) => [height, amountIn(raws[i]), true]),
    }),
  };
}

/** A token that does not exist, or gives no balance, counts as zero. */
export function amountIn(raw: Raw | undefined): string {
  return numberIn(raw) ?? '0';
}
