/**
 * Books, statements and changes of many rows against a separate ledger: its balances are those that the seeding plan computed
 * for each block, its amounts in and out are those of the token's events, as the node returns them.
 */
import { ask } from '@hindsight/devchain/client.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { LedgerBook } from '@hindsight/devchain/ledger.ts';
import type { Plan } from '@hindsight/devchain/plan-format.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { id, zeroPadValue } from 'ethers';
import { readChain, type Chain } from './inquiries.ts';
import { INIT, words } from './mortal.ts';
import type { SeededNode } from './nodes.ts';
import { amountIn, changesIn } from './searches.ts';
import { startService } from './service.ts';
import { createdBy, planOf, type Step } from './stories.ts';
import { askJson, ETHER, readRaw, type Fields } from './views.ts';

const TRANSFER = id('Transfer(address,address,uint256)');
/** Rows of books in a request, and periods of a statement. */
const MOST_ROWS = 1_000;

/** An asset of the ledger. */
interface LedgerAsset {
  readonly name: string;
  /** Null for ether. */
  readonly token: { readonly address: string; readonly since: number } | null;
  /** True if Transfer is its only event: amounts in and out are then summed here as well. */
  readonly isTold: boolean;
}

/** Accounts on a seeded node. */
interface Ledgers {
  readonly plan: Plan;
  readonly assets: readonly LedgerAsset[];
  readonly holders: readonly string[];
}

/** Ether, and tokens that take a fee, are rebased, change by other events than Transfer, are upgraded, and come late. */
const WORLD_ASSETS: readonly LedgerAsset[] = [
  { name: 'ether', token: null, isTold: false },
  { name: 'a fee on transfers', token: TOKENS.usdt, isTold: true },
  { name: 'rebased', token: TOKENS.steth, isTold: true },
  { name: 'without Transfer', token: TOKENS.weth, isTold: false },
  { name: 'upgraded', token: TOKENS.usdc, isTold: true },
  { name: 'late', token: TOKENS.late, isTold: true },
];

/** The dev chain's world. */
export function worldLedgers(plan: Plan, holders: readonly string[] = Object.values(HOLDERS)): Ledgers {
  return { plan, assets: WORLD_ASSETS, holders };
}

/** Blocks between two changes of the silent token. */
const SILENCE = 6;

/** A token whose balance changes without any event, on a chain of its own that is as long as the world's. */
export function silentLedgers(): Ledgers {
  const { alice } = HOLDERS;
  const ledger = new LedgerBook();
  const [token, since] = [createdBy(0), CHAIN.story + 1];
  ledger.open(token, since);
  ledger.record({ kind: 'balance', token, holder: alice, block: since, value: 7n });
  const story = Array.from({ length: CHAIN.head - CHAIN.story }, (_, i): readonly Step[] => {
    if (i === 0) return [[null, INIT]];
    if (i % SILENCE !== 0) return [[null, '0x00']];
    ledger.record({ kind: 'balance', token, holder: alice, block: since + i, value: BigInt(i * i) });
    return [[token, words(i * i)]];
  });
  const silent = { name: 'silent', token: { address: token, since }, isTold: true };
  return { plan: { ...planOf(story), ledger }, assets: [silent], holders: [alice] };
}

/** Compared rows of one asset. */
export interface LedgerTrial {
  readonly asset: string;
  readonly books: number;
  readonly periods: number;
  readonly changes: number;
  readonly faults: readonly string[];
}

/** An account's amounts by height. */
interface Account {
  readonly asset: LedgerAsset;
  readonly token: string;
  readonly holder: string;
  readonly amountAt: (height: number) => bigint;
}

/** Compares every asset of some holders, at every block. */
export async function tryLedgers(
  node: SeededNode,
  network: Network,
  { plan, assets, holders }: Ledgers,
): Promise<readonly LedgerTrial[]> {
  const chain = await readChain(node.url, node.heightOf(CHAIN.story));
  const service = await startService(node.url, network);
  const root = `${service.url}/v1/${network.name}/balance`;
  try {
    const trials: LedgerTrial[] = [];
    for (const asset of assets) {
      const found = { books: 0, periods: 0, changes: 0, faults: [] as string[] };
      for (const holder of holders) {
        const account = await accountOn(node, chain, plan, asset, holder);
        found.books += await compareBooks(root, chain, account, found.faults);
        found.periods += await comparePeriods(root, node.url, chain, account, found.faults);
        found.changes += await compareChanges(root, chain, account, found.faults);
      }
      trials.push({ asset: asset.name, ...found });
    }
    return trials;
  } finally {
    await service.stop();
  }
}

/** Amounts by the plan; between two of its blocks, on a node that gives each transaction a block, by plain calls. */
async function accountOn(
  { url, heightOf, extraWei }: SeededNode,
  { first, head }: Chain,
  { ledger }: Plan,
  asset: LedgerAsset,
  holder: string,
): Promise<Account> {
  const { address, since } = asset.token ?? { address: 'native', since: 0 };
  const blocks = Array.from({ length: CHAIN.head - CHAIN.story + 1 }, (_, i) => CHAIN.story + i);
  const planned = new Map(blocks.map((block) => [heightOf(block), block]));
  const last = heightOf(CHAIN.head);
  const others = Array.from({ length: head - first + 1 }, (_, i) => first + i).filter(
    (height) => height <= last && !planned.has(height),
  );
  const raws = await readRaw(url, {
    calls: others.map((height) =>
      asset.token === null ? ['', ETHER, [holder], height] : [address, 'balanceOf', [holder], height],
    ),
  });
  const between = new Map(others.map((height, i) => [height, BigInt(amountIn(raws[i]))]));
  return {
    ...{ asset, holder, token: address },
    amountAt(height) {
      const block = planned.get(Math.min(height, last));
      if (block === undefined) return between.get(height)!;
      if (asset.token === null) return ledger.nativeAt(holder, block) + extraWei(holder, block);
      return block < since ? 0n : ledger.balanceAt(address, holder, block);
    },
  };
}

/** Books that are right in every row, and the same ones with one row a unit off. @returns the number of rows */
async function compareBooks(
  root: string,
  { first, head }: Chain,
  { token, holder, amountAt }: Account,
  faults: string[],
): Promise<number> {
  let compared = 0;
  for (let from = first; from <= head; from += MOST_ROWS) {
    const heights = Array.from({ length: Math.min(MOST_ROWS, head - from + 1) }, (_, i) => from + i);
    const rows = heights.map((height) => ({ block_height: height, balance: String(amountAt(height)) }));
    const asked = { token_address: token, holder };
    const right = await askJson(`${root}/reconcile`, { ...asked, rows });
    const differing = ((right.body.rows ?? []) as Fields[]).filter(({ equal }) => equal === false);
    if (right.status !== 200 || differing.length > 0 || right.body.first_divergence !== null)
      faults.push(
        `books of ${token} ${holder}: ${right.status} ${JSON.stringify(differing[0] ?? right.body)}`,
      );
    const planted = Math.floor(rows.length / 2);
    const wrong = rows.map((row, i) =>
      i === planted ? { ...row, balance: String(BigInt(row.balance) + 1n) } : row,
    );
    const { body } = await askJson(`${root}/reconcile`, { ...asked, rows: wrong });
    const { by_block, difference } = (body.first_divergence ?? {}) as Fields;
    if (by_block !== heights[planted] || difference !== '-1')
      faults.push(`a planted fault in ${token} ${holder}: ${JSON.stringify(body.first_divergence)}`);
    compared += rows.length;
  }
  return compared;
}

/** A period a block. @returns their number */
async function comparePeriods(
  root: string,
  node: string,
  { first, head, headers }: Chain,
  { asset, token, holder, amountAt }: Account,
  faults: string[],
): Promise<number> {
  const flows = asset.isTold ? await flowsOf(node, token, holder, { first, head }) : undefined;
  let compared = 0;
  for (let from = first; from < head; from += MOST_ROWS) {
    const to = Math.min(from + MOST_ROWS, head);
    const path = `statement?token_address=${token}&holder=${holder}&from=${from}&to=${to}&step=1`;
    const { status, body } = await askJson(`${root}/${path}`);
    const rows = (body.periods ?? []) as Fields[];
    if (status !== 200 || rows.length !== to - from || body.complete !== true)
      faults.push(`${path}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
    for (const [i, row] of rows.entries()) {
      const [opening, closing] = [amountAt(from + i), amountAt(from + i + 1)];
      const flow = flows?.get(from + i + 1) ?? { in: 0n, out: 0n };
      const [into, out] = asset.token === null || flows ? [flow.in, flow.out] : [row.in, row.out];
      const unexplained = closing - opening - BigInt(into as bigint) + BigInt(out as bigint);
      const expected = [headers.get(from + i + 1)?.hash, opening, into, out, unexplained, closing].map(
        String,
      );
      const { to_block_hash: hash, in: read, ...own } = row;
      const found = [hash, own.opening ?? '0', read, own.out, own.unexplained ?? '0', own.closing ?? '0'];
      if (found.join() !== expected.join())
        faults.push(`${path}: ${found.join()} in place of ${expected.join()}`);
    }
    compared += rows.length;
  }
  return compared;
}

interface Log {
  readonly blockNumber: string;
  readonly data: string;
  readonly topics: readonly string[];
}

interface Flow {
  readonly in: bigint;
  readonly out: bigint;
}

/** Amounts in and out by Transfer events, by height; one to oneself is neither. */
async function flowsOf(
  node: string,
  token: string,
  holder: string,
  { first, head }: Pick<Chain, 'first' | 'head'>,
): Promise<ReadonlyMap<number, Flow>> {
  const own = zeroPadValue(holder, 32).toLowerCase();
  const range = { address: token, fromBlock: `0x${first.toString(16)}`, toBlock: `0x${head.toString(16)}` };
  const logsOf = async (topics: readonly (string | null)[]): Promise<readonly Log[]> => {
    const logs = (await ask(node, 'eth_getLogs', { ...range, topics })) as readonly Log[];
    return logs.filter(({ topics: [, from, to] }) => from !== to);
  };
  const flows = new Map<number, Flow>();
  const add = ({ blockNumber }: Log, added: Flow): void => {
    const before = flows.get(Number(blockNumber)) ?? { in: 0n, out: 0n };
    flows.set(Number(blockNumber), { in: before.in + added.in, out: before.out + added.out });
  };
  for (const log of await logsOf([TRANSFER, null, own])) add(log, { in: BigInt(log.data), out: 0n });
  for (const log of await logsOf([TRANSFER, own])) add(log, { in: 0n, out: BigInt(log.data) });
  return flows;
}

/** Every block in which the ledger has another amount than before. @returns their number */
async function compareChanges(
  root: string,
  { first, head, headers }: Chain,
  { token, holder, amountAt }: Account,
  faults: string[],
): Promise<number> {
  const heights = Array.from({ length: head - first }, (_, i) => first + i + 1);
  const expected = heights.flatMap((height) => {
    const [before, after] = [amountAt(height - 1), amountAt(height)].map(String);
    return before === after ? [] : [[height - 1, height, headers.get(height)?.hash, before, after]];
  });
  const found: unknown[] = [];
  const path = `changes?token_address=${token}&holder=${holder}&from=${first}&to=${head}&limit=1000`;
  for (let next: string | null = ''; next !== null;) {
    const { status, body } = await askJson(`${root}/${path}${next === '' ? '' : `&cursor=${next}`}`);
    if (status !== 200) {
      faults.push(`${path}: ${status} ${JSON.stringify(body)}`);
      break;
    }
    found.push(...changesIn(body));
    next = body.next as string | null;
  }
  const at = expected.findIndex((row, i) => JSON.stringify(row) !== JSON.stringify(found[i]));
  if (at !== -1 || found.length !== expected.length)
    faults.push(
      `${path}: row ${at}: ${JSON.stringify(found[at])} in place of ${JSON.stringify(expected[at])}`,
    );
  return found.length;
}
