/** The changes of a wallet with thousands of transfers of a rebasing token: all are found, and no others. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { FIRST, startFakeNode, type FakeLog, type FakeNode } from './support/fake-node.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const TOKEN = '0x00000000000000000000000000000000000000AA';
const HOLDER = '0x00000000000000000000000000000000000000BB';
const OTHER = '0x00000000000000000000000000000000000000CC';
const LENGTH = 1_000_000;
const LAST = FIRST + LENGTH - 100;

interface Past {
  readonly transfers: readonly FakeLog[];
  readonly rebases: readonly number[];
  /** The heights at which the balance changes, and what it is from there on. */
  readonly heights: readonly number[];
  readonly balances: readonly bigint[];
}

/** A transfer of a few hundred units every some blocks; at each rebase the balance grows by a seven-hundredth. */
function past(count: number, every: (i: number) => number, rebases: readonly number[]): Past {
  const transfers: FakeLog[] = [];
  const events = new Map<number, (held: bigint) => bigint>();
  for (const height of rebases) events.set(height, (held) => held + held / 700n);
  for (let i = 0, height = FIRST + 100; i < count; i++, height += every(i)) {
    const amount = BigInt(100 + ((i * 37) % 300));
    const isIn = i % 3 !== 2;
    transfers.push({ block: height, from: isIn ? OTHER : HOLDER, to: isIn ? HOLDER : OTHER, amount });
    const rebase = events.get(height) ?? ((held: bigint) => held);
    events.set(height, (held) => rebase(held) + (isIn ? amount : -amount));
  }
  const heights = [...events.keys()].sort((one, other) => one - other);
  let held = 1_000_000n;
  const balances = heights.map((height) => (held = events.get(height)!(held)));
  return { transfers, rebases, heights, balances };
}

/** By bisection: what was held at a height. */
function heldAt({ heights, balances }: Past, height: number): bigint {
  let [low, high] = [0, heights.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (heights[middle]! <= height) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 1_000_000n : balances[low - 1]!;
}

interface Change {
  readonly block: number;
  readonly after_block: number;
  readonly cause: string;
  readonly balance_after: string;
}

describe('changes of a busy holder', () => {
  let node: FakeNode;
  let service: RunningBalance;
  afterEach(async () => {
    await service.stop();
    await node.stop();
  });

  async function start(made: Past): Promise<void> {
    node = await startFakeNode({
      chainId: 1,
      wei: 1n,
      allowance: 1n,
      named: OTHER,
      length: LENGTH,
      balance: (height) => heldAt(made, height),
      logs: made.transfers,
    });
    service = await runBalance(node.url, { deadlineMs: 600_000 });
  }

  async function all(limit: number): Promise<{ changes: readonly Change[]; pages: number }> {
    const changes: Change[] = [];
    const asked = { token_address: TOKEN, holder: HOLDER, from: String(FIRST), to: String(LAST) };
    let cursor: string | null = null;
    let pages = 0;
    do {
      const query = { ...asked, limit: String(limit), ...(cursor === null ? {} : { cursor }) };
      const path = `/v1/eth-mainnet/balance/changes?${new URLSearchParams(query).toString()}`;
      const { status, body } = await service.ask(path);
      expect([status, body.message]).toEqual([200, undefined]);
      changes.push(...(body.changes as Change[]));
      cursor = body.next as string | null;
      pages += 1;
    } while (cursor !== null);
    return { changes, pages };
  }

  const rebasedDaily = Array.from({ length: 138 }, (_, i) => FIRST + 3_000 + i * 7_200);
  const rebasedBetween = Array.from({ length: 300 }, (_, i) => FIRST + 150 + i * 3_000);

  it.each([
    ['5,000 transfers, rebased every day', past(5_000, (i) => 100 + ((i * 61) % 190), rebasedDaily), 1_000],
    ['a rebase between any two transfers', past(300, () => 3_000, rebasedBetween), 1_000],
  ])('%s', async (what, made, limit) => {
    await start(made);
    const begun = performance.now();
    const { changes, pages } = await all(limit);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    const { heights, balances, transfers } = made;
    expect(changes.map(({ block, balance_after }) => [block, balance_after])).toEqual(
      heights.map((height, i) => [height, balances[i]!.toString()]),
    );
    expect(changes.filter(({ block, after_block }) => after_block !== block - 1)).toEqual([]);
    const told = new Set(transfers.map(({ block }) => block));
    for (const { block, cause } of changes)
      expect([block, cause]).toEqual([block, told.has(block) ? 'transfer' : 'state']);
    const rows = [
      { block_height: FIRST, balance: '1000000' },
      { block_height: LAST, balance: '1' },
    ];
    const books = { token_address: TOKEN, holder: HOLDER, rows };
    const { body } = await service.ask('/v1/eth-mainnet/balance/reconcile', books);
    // Not all that changed between its rows fits into it.
    expect(body.first_divergence).toMatchObject({ after_block: FIRST, by_block: LAST, complete: false });
    expect((body.first_divergence as { changes: unknown[] }).changes.length).toBeLessThanOrEqual(100);
    process.stdout.write(
      `${what}: ${changes.length} changes on ${pages} pages, ${node.requests} requests, ${seconds} s\n`,
    );
  });

  it('that names none of them: a page looks at 800 blocks between its ends', async () => {
    const heights = Array.from({ length: 2_000 }, (_, i) => FIRST + i + 1);
    await start({ transfers: [], rebases: [], heights, balances: heights.map(BigInt) });
    const range = `from=${FIRST}&to=${FIRST + 2_000}&limit=1000`;
    const { status, body } = await service.ask(
      `/v1/eth-mainnet/balance/changes?token_address=${TOKEN}&holder=${HOLDER}&${range}`,
    );
    expect([status, body.message, body.next]).toEqual([200, undefined, null]);
    const changes = body.changes as readonly Change[];
    expect(changes).toHaveLength(801);
    expect(changes.map(({ after_block }) => after_block)).toEqual([
      FIRST,
      ...changes.slice(0, -1).map(({ block }) => block),
    ]);
  });
});
