/** The changes of an account's ether over a million blocks: all are found, named where logs do so, and promised where they may be. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { FIRST, startFakeNode, type FakeAccount, type FakeLog, type FakeNode } from './support/fake-node.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const HOLDER = '0x00000000000000000000000000000000000000BB';
const OTHER = '0x00000000000000000000000000000000000000CC';
const LENGTH = 1_000_000;
const LAST = FIRST + LENGTH - 100;
const FORK = FIRST + LENGTH / 2;
const FEE = 21n;

interface Step {
  readonly height: number;
  /** Amount of a transfer; none for a withdrawal, and for a transaction that moves nothing. */
  readonly transfer: bigint;
  readonly other: bigint;
  readonly sends: boolean;
}

const STEPS: readonly ((height: number) => Step[])[] = [
  (height) => [{ height, transfer: 500n, other: 0n, sends: false }],
  (height) => [{ height, transfer: -300n, other: -FEE, sends: true }],
  // Nothing but a fee.
  (height) => [{ height, transfer: 0n, other: -FEE, sends: true }],
  // A withdrawal.
  (height) => [{ height, transfer: 0n, other: 1_000n, sends: false }],
  // The amount comes back a while later, including the fee.
  (height) => [
    { height, transfer: -300n, other: -FEE, sends: true },
    { height: height + 700, transfer: 300n + FEE, other: 0n, sends: false },
  ],
  // Nothing changes but the nonce.
  (height) => [{ height, transfer: FEE, other: -FEE, sends: true }],
];

interface Change {
  readonly block: number;
  readonly after_block: number;
  readonly cause: string;
  readonly transactions: readonly string[];
  readonly balance_before: string;
  readonly balance_after: string;
  readonly unexplained: string;
}

interface Page {
  readonly changes: readonly Change[];
  readonly complete: boolean;
  readonly through_block: number;
  readonly next: string | null;
}

let node: FakeNode | undefined;
let service: RunningBalance | undefined;
afterEach(async () => {
  await service?.stop();
  await node?.stop();
});

/** Steps of all kinds in turn, thousands of blocks apart; more than a page has samples for. */
function story(count: number): readonly Step[] {
  const every = Math.floor((LENGTH - 2_000) / count);
  return Array.from({ length: count }, (_, i) => FIRST + 500 + i * every)
    .flatMap((height, i) => STEPS[i % STEPS.length]!(height + ((i * 7_919) % (every - 800))))
    .sort((one, other) => one.height - other.height);
}

/** The account from each step on. */
function accountsOf(steps: readonly Step[], codeSize: number): (height: number) => FakeAccount {
  let [wei, nonce] = [10n ** 18n, 1];
  const after = steps.map(({ transfer, other, sends }) => {
    wei += transfer + other;
    nonce += sends ? 1 : 0;
    return { wei, nonce, codeSize };
  });
  const before = { wei: 10n ** 18n, nonce: 1, codeSize };
  return (height) => {
    const next = steps.findIndex((step) => step.height > height);
    return (next === -1 ? after.at(-1) : after[next - 1]) ?? before;
  };
}

/** The right answer: entries as strings. @param fork the first block with logs */
function truthOf(steps: readonly Step[], at: (height: number) => FakeAccount, fork: number): string[] {
  return steps.flatMap(({ height, transfer }) => {
    const [before, after] = [at(height - 1).wei, at(height).wei];
    if (before === after) return [];
    const isLogged = height >= fork && transfer !== 0n;
    const unexplained = after - before - (isLogged ? transfer : 0n);
    return [`${height} ${isLogged ? 'transfer' : 'state'} ${before} ${after} ${unexplained}`];
  });
}

const entryOf = ({
  block,
  cause,
  balance_before: before,
  balance_after: after,
  unexplained,
}: Change): string => `${block} ${cause} ${before} ${after} ${unexplained}`;

async function start(
  steps: readonly Step[],
  { fork, codeSize = 0 }: { readonly fork?: number; readonly codeSize?: number },
): Promise<(height: number) => FakeAccount> {
  const account = accountsOf(steps, codeSize);
  const logs = steps.flatMap(({ height, transfer }): FakeLog[] => {
    if (transfer === 0n || height < (fork ?? Infinity)) return [];
    const [from, to] = transfer > 0n ? [OTHER, HOLDER] : [HOLDER, OTHER];
    return [{ block: height, from, to, amount: transfer > 0n ? transfer : -transfer }];
  });
  const own = fork === undefined ? {} : { etherLogsFrom: fork };
  const chain = { chainId: 1, wei: 1n, balance: 1n, allowance: 1n, named: OTHER, length: LENGTH };
  node = await startFakeNode({ ...chain, ...own, logs, account });
  service = await runBalance(node.url);
  return account;
}

async function pages(limit: number, from = FIRST): Promise<readonly Page[]> {
  const found: Page[] = [];
  const asked = { token_address: 'native', holder: HOLDER, from: String(from), to: String(LAST) };
  for (let cursor: string | null = ''; cursor !== null; cursor = found.at(-1)!.next) {
    const query = { ...asked, limit: String(limit), ...(cursor === '' ? {} : { cursor }) };
    const { status, body } = await service!.ask(
      `/v1/eth-mainnet/balance/changes?${new URLSearchParams(query).toString()}`,
    );
    expect([status, body.message]).toEqual([200, undefined]);
    found.push(body as unknown as Page);
    expect(found.length).toBeLessThan(200);
  }
  return found;
}

describe('changes of ether', () => {
  it.each([
    ['without logs', undefined, 1_000, 3],
    ['across the fork that brings logs', FORK, 1_000, 2],
    ['across it, ten a page', FORK, 10, 12],
    ['with logs throughout', FIRST, 1_000, 1],
  ])('%s: every one is found, at its block, and that is promised', async (_how, fork, limit, least) => {
    const steps = story(120);
    const account = await start(steps, fork === undefined ? {} : { fork });
    const found = await pages(limit);
    const changes = found.flatMap((page) => page.changes);
    expect(found.length).toBeGreaterThanOrEqual(least);
    expect(changes.map(entryOf)).toEqual(truthOf(steps, account, fork ?? Infinity));
    expect(changes.filter(({ block, after_block }) => block !== after_block + 1)).toEqual([]);
    expect(found.map(({ complete }) => complete)).toEqual(found.map(() => true));
    expect(found.map(({ changes: { length } }) => length > limit)).toEqual(found.map(() => false));
    // In requests of 48 headers, 800 samples and their states.
    expect(node!.requests).toBeLessThan(found.length * 200);
  });

  it('of a contract are promised from the fork on, and not before', async () => {
    await start(story(12), { fork: FORK, codeSize: 1 });
    expect((await pages(1_000)).map(({ complete }) => complete)).toEqual([false]);
    expect((await pages(1_000, FORK)).map(({ complete }) => complete)).toEqual([true]);
    expect((await pages(1_000, FORK - 2)).map(({ complete }) => complete)).toEqual([true]);
    expect((await pages(1_000, FORK - 3)).map(({ complete }) => complete)).toEqual([false]);
  });

  it('take few requests where the fork is known', async () => {
    await start([], { fork: FORK });
    await pages(1_000);
    const before = node!.requests;
    await pages(10);
    expect(node!.requests - before).toBeLessThanOrEqual(8);
  });
});
