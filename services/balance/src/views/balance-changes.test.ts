import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { startAlteredNode, type AlteredNode } from '@hindsight/chain/test/support/altered-node.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { runBalance, type RunningBalance } from '../../test/support/run-balance.ts';
import { takeSearchClock } from '../../test/support/search-clock.ts';

let devchain: Devchain;
let balance: RunningBalance;
let altered: AlteredNode;
let troubled: RunningBalance;
/** Its node is not there. */
let nodeless: RunningBalance;
const { ledger } = buildPlan();
const { alice } = HOLDERS;
const UNI = TOKENS.uni;
const END = { to: String(CHAIN.head) };

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  altered = await startAlteredNode(devchain.url);
  [balance, troubled] = [await runBalance(devchain.url), await runBalance(altered.url)];
  nodeless = await runBalance('http://127.0.0.1:1');
});
afterAll(async () => {
  await Promise.all([balance.stop(), troubled.stop(), nodeless.stop()]);
  await altered.close();
  await devchain.stop();
});

interface Change {
  readonly block: number;
  readonly after_block: number;
  readonly cause: string;
  readonly transactions: readonly string[];
  readonly balance_before: string | null;
  readonly balance_after: string | null;
  readonly unexplained: string | null;
}

type Asked = Record<string, string>;

const ask = (query: Asked, of = balance): ReturnType<RunningBalance['ask']> =>
  of.ask(`/v1/eth-mainnet/balance/changes?${new URLSearchParams(query).toString()}`);

/** All pages' changes. */
async function all(query: Asked, of = balance): Promise<readonly Change[]> {
  const found: Change[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { status, body } = await ask({ ...query, ...(cursor === undefined ? {} : { cursor }) }, of);
    expect([status, body.message]).toEqual([200, undefined]);
    found.push(...(body.changes as readonly Change[]));
    cursor = body.next as string | null;
  }
  return found;
}

/** The blocks in which the ledger has another balance than before: [block, before, after]. */
function truth(token: { address: string; since: number }, holder: string, from: number): unknown[] {
  const at = (height: number): bigint =>
    height < token.since ? 0n : ledger.balanceAt(token.address, holder, height);
  const changes: unknown[] = [];
  for (let height = from + 1; height <= CHAIN.head; height++) {
    const [before, after] = [at(height - 1), at(height)];
    if (before !== after) changes.push([height, before.toString(), after.toString()]);
  }
  return changes;
}

function etherTruth(holder: string): unknown[] {
  const changes: unknown[] = [];
  for (let height = CHAIN.story + 1; height <= CHAIN.head; height++) {
    const [before, after] = [ledger.nativeAt(holder, height - 1), ledger.nativeAt(holder, height)];
    if (before !== after) changes.push([height, before.toString(), after.toString()]);
  }
  return changes;
}

const exact = ({ block, balance_before: before, balance_after: after }: Change): unknown => [
  block,
  before ?? '0',
  after ?? '0',
];

describe('GET balance/changes', () => {
  it.each(['uni', 'usdt', 'usdc', 'weth', 'steth', 'late', 'bayc', 'savings'] as const)(
    'of %s matches the ledger at every block',
    async (name) => {
      const token = TOKENS[name];
      for (const holder of [alice, HOLDERS.bob, HOLDERS.vault, UNUSED_ADDRESS]) {
        const changes = await all({
          token_address: token.address,
          holder,
          from: String(CHAIN.story),
          ...END,
        });
        expect([holder, changes.map(exact)]).toEqual([holder, truth(token, holder, CHAIN.story)]);
        expect(changes.filter(({ block, after_block }) => block !== after_block + 1)).toEqual([]);
        const told = changes.filter(({ cause }) => cause === 'transfer');
        expect(told.filter(({ transactions }) => transactions.length === 0)).toEqual([]);
      }
    },
  );

  it('of ether matches the ledger at every block, though nothing names them', async () => {
    let found = 0;
    for (const holder of [...Object.values(HOLDERS), UNUSED_ADDRESS, TOKENS.weth.address]) {
      const query = { token_address: 'native', holder, from: String(CHAIN.story), ...END };
      const changes = await all(query);
      expect([holder, changes.map(exact)]).toEqual([holder, etherTruth(holder)]);
      expect(
        changes.filter(({ block, after_block, cause }) => block !== after_block + 1 || cause !== 'state'),
      ).toEqual([]);
      found += changes.length;
    }
    expect(found).toBeGreaterThan(100);
  });

  it.each([
    ['an account', alice, '1'],
    ['a contract', TOKENS.weth.address, '3'],
  ])('of ether of %s are paged, and the pages together are the whole', async (_what, holder, limit) => {
    const query = { token_address: 'native', holder, from: String(CHAIN.story), ...END };
    const whole = await all(query);
    expect(whole.length).toBeGreaterThan(5);
    expect(await all({ ...query, limit })).toEqual(whole);
  });

  it('of ether are complete where no ether can have come and gone unseen', async () => {
    const completeFrom = async (holder: string, from: number): Promise<unknown> => {
      const { body } = await ask({
        token_address: 'native',
        holder,
        from: String(from),
        ...END,
        limit: '1000',
      });
      expect(body).toMatchObject({
        holder,
        checked_at_block: CHAIN.head,
        through_block: CHAIN.head,
        next: null,
      });
      expect(body).not.toHaveProperty('token_address');
      return body.complete;
    };
    expect(await completeFrom(HOLDERS.relay, CHAIN.head - 100)).toBe(true);
    // It has sent nothing, and a contract pays without a transaction of its own.
    expect(await completeFrom(UNUSED_ADDRESS, CHAIN.head - 100)).toBe(false);
    expect(await completeFrom(TOKENS.weth.address, CHAIN.head - 100)).toBe(false);
    expect(await completeFrom(UNUSED_ADDRESS, CHAIN.head - 1)).toBe(true);
  });

  it('names a rebase as a change of the state, at its block', async () => {
    const { address } = TOKENS.steth;
    const holder = Object.values(HOLDERS).find(
      (one) => ledger.balanceAt(address, one, LANDMARKS.slashing) > 0n,
    )!;
    const query = { token_address: address, holder, from: String(CHAIN.story), ...END };
    const changes = await all(query);
    expect(changes.map(exact)).toEqual(truth(TOKENS.steth, holder, CHAIN.story));
    const ofState = changes.filter(({ cause }) => cause === 'state').map(({ block }) => block);
    expect(ofState.length).toBeGreaterThan(2);
    expect(LANDMARKS.rebases).toEqual(expect.arrayContaining(ofState));
  });

  it('is paged, and the pages together are the whole', async () => {
    const query = { token_address: UNI.address, holder: alice, from: String(CHAIN.story), ...END };
    const whole = await all(query);
    for (const limit of ['1', '3']) expect(await all({ ...query, limit })).toEqual(whole);
    const { body, headers } = await ask({ ...query, limit: '2' });
    expect(body).toMatchObject({
      holder: alice,
      token_symbol: 'UNI',
      token_type: 'erc20',
      checked_at_block: CHAIN.head,
      from_block: CHAIN.story,
      next: expect.any(String),
    });
    expect(headers.get('x-hindsight-units')).toBe('1');
  });

  it('costs a unit for ten changes', async () => {
    const query = { token_address: UNI.address, holder: HOLDERS.relay, from: String(CHAIN.story), ...END };
    const { body, headers } = await ask(query);
    const count = (body.changes as unknown[]).length;
    expect(headers.get('x-hindsight-units')).toBe(String(Math.max(1, Math.ceil(count / 10))));
  });

  it('between dates is the same as between their blocks', async () => {
    const query = { token_address: UNI.address, holder: 'alice.eth' };
    const dates = { from: '2023-08-26T16:05:00Z', to: '2023-08-26T16:30:00Z' };
    const { body } = await ask({ ...query, ...dates });
    const heights = { from: String(body.from_block), to: String(body.checked_at_block) };
    expect((await ask({ ...query, ...heights })).body).toEqual(body);
  });

  it('is not immutable while the block after its last one may be another', async () => {
    const query = { token_address: UNI.address, holder: alice, from: String(CHAIN.story) };
    const final = CHAIN.head - 64;
    const cachedTo = async (to: string): Promise<string | null> =>
      (await ask({ ...query, to, limit: '1000' })).headers.get('cache-control');
    const dateOf = async (height: number): Promise<string> =>
      (await balance.ask(`/v1/eth-mainnet/block?block_height=${height}`)).body.date as string;
    expect(await cachedTo(await dateOf(final - 1))).toContain('immutable');
    expect(await cachedTo(await dateOf(final))).toBe('private, no-cache');
  });

  it.each([
    ['another holder', { holder: HOLDERS.bob }],
    ['another token', { token_address: TOKENS.usdc.address }],
    ['another beginning', { from: String(CHAIN.story + 1) }],
    ['another end', { to: String(CHAIN.head - 1) }],
    ['an end that is open', { to: undefined }],
  ])('has a cursor that continues no other question: %s', async (_what, other) => {
    const question = { ...END, token_address: UNI.address, holder: alice, from: String(CHAIN.story) };
    const { body } = await ask({ ...question, limit: '1' });
    const cursor = body.next as string;
    expect((await ask({ ...question, holder: 'alice.eth', limit: '2', cursor })).status).toBe(200);
    const { to, ...asked } = { ...question, ...other, cursor };
    // Before anything is read, where the holder is no name.
    for (const service of [balance, nodeless]) {
      const refused = await ask(to === undefined ? asked : { ...asked, to }, service);
      expect([refused.status, refused.body.message]).toEqual([
        400,
        'cursor: it is of another question; expected the same token_address, holder, from and to',
      ]);
    }
  });

  it('has a cursor that names no block behind its end', async () => {
    const question = { ...END, token_address: UNI.address, holder: alice, from: String(CHAIN.story) };
    const { body } = await ask({ ...question, limit: '1' });
    const cursor = Buffer.from(body.next as string, 'base64url').toString();
    for (const [tokenAt, expected] of [
      [CHAIN.head, 200],
      [CHAIN.head + 1, 400],
    ]) {
      const forged = Buffer.from(`${cursor}.${tokenAt}`).toString('base64url');
      const answer = await ask({ ...question, cursor: forged });
      expect([answer.status, answer.body.message ?? '']).toEqual([
        expected,
        expected === 200 ? '' : 'cursor: expected the next of an earlier answer',
      ]);
    }
  });

  it('of immutable blocks is immutable', async () => {
    const query = { token_address: UNI.address, holder: alice, from: String(CHAIN.story), to: '18000000' };
    expect((await ask(query)).headers.get('cache-control')).toContain('immutable');
    const open = await ask({ token_address: UNI.address, holder: alice, from: '18000000' });
    expect(open.headers.get('cache-control')).toContain('no-cache');
  });

  it('a log that the node leaves out is reported as a change without an event', async () => {
    const query = { token_address: UNI.address, holder: alice, from: String(CHAIN.story), ...END };
    const whole = await all(query);
    const lost = whole.find(({ cause }) => cause === 'transfer')!;
    altered.alter((method, result) =>
      method === 'eth_getLogs'
        ? (result as { blockNumber: string }[]).filter(
            ({ blockNumber }) => Number(blockNumber) !== lost.block,
          )
        : result,
    );
    const told = await all(query, troubled);
    expect(told.map(exact)).toEqual(whole.map(exact));
    expect(told.find(({ block }) => block === lost.block)).toMatchObject({
      cause: 'state',
      transactions: [],
    });
  });

  it('of a node that refuses logs is an error, not a part', async () => {
    altered.alter((method, result) =>
      method === 'eth_getLogs' ? new Error('pruned history unavailable') : result,
    );
    const query = { token_address: UNI.address, holder: HOLDERS.carol, from: String(CHAIN.story), ...END };
    expect((await ask(query, troubled)).status).toBe(502);
  });

  it('with events of another chain than the balances is an error', async () => {
    const query = { token_address: UNI.address, holder: alice, from: String(CHAIN.story), ...END };
    const moved = (await all(query)).find(({ cause }) => cause === 'transfer')!;
    altered.alter((method, result) =>
      method === 'eth_getLogs'
        ? (result as { blockNumber: string }[]).map((log) =>
            Number(log.blockNumber) === moved.block ? { ...log, blockHash: `0x${'7e'.repeat(32)}` } : log,
          )
        : result,
    );
    const { status, body } = await ask(query, troubled);
    expect([status, body.code]).toEqual([502, 'block_unavailable']);
  });

  it('says between which blocks a change was, where the time was too short for more, and may have more to say later', async () => {
    const query = { token_address: TOKENS.steth.address, holder: HOLDERS.bob, from: String(CHAIN.story) };
    const asked = { ...query, to: '18000000' };
    const whole = await ask(asked);
    expect(whole.headers.get('cache-control')).toContain('immutable');
    const clock = takeSearchClock();
    const service = await runBalance(altered.url);
    let searched = false;
    altered.alter((method, result) => {
      searched ||= method === 'eth_getLogs';
      if (searched && method === 'eth_call') clock.ahead += 60_000;
      return result;
    });
    try {
      const { body, headers } = await ask(asked, service);
      const [found, exactly] = [body, whole.body].map(({ changes }) => changes as readonly Change[]);
      expect(found!.map(({ cause }) => cause)).toEqual(exactly!.map(({ cause }) => cause));
      expect(found!.filter(({ cause }) => cause === 'state').length).toBeGreaterThan(1);
      for (const [i, { cause, block, after_block }] of found!.entries()) {
        expect(block === after_block + 1).toBe(cause === 'transfer');
        expect(exactly![i]!.block).toBeGreaterThan(after_block);
        expect(exactly![i]!.block).toBeLessThanOrEqual(block);
      }
      expect(headers.get('cache-control')).toBe('private, no-cache');
    } finally {
      clock.restore();
      await service.stop();
    }
  });

  it('of ether are told as one where there was no time to search for them, and that is not complete', async () => {
    const asked = { token_address: 'native', holder: alice, from: String(CHAIN.story), to: '18000000' };
    const clock = takeSearchClock();
    const service = await runBalance(altered.url);
    altered.alter((method, result) => {
      if (method === 'eth_getTransactionCount') clock.ahead += 60_000;
      return result;
    });
    try {
      const { body, headers } = await ask(asked, service);
      expect([body.changes, body.complete]).toMatchObject([
        [{ after_block: CHAIN.story, block: 18_000_000, cause: 'state' }],
        false,
      ]);
      expect(headers.get('cache-control')).toBe('private, no-cache');
    } finally {
      clock.restore();
      await service.stop();
    }
  });

  it.each([
    ['no beginning', { from: undefined }, 400, /^from is required/],
    ['a malformed beginning', { from: 'yesterday' }, 400, /^from: /],
    ['ends in the wrong order', { from: '18000001', to: '18000000' }, 400, /^from: it is after to/],
    ['a beginning above the head', { from: '99999999' }, 404, /^from: block 99999999 does not exist yet/],
    ['an end above the head', { to: '99999999' }, 404, /^to: block 99999999 does not exist yet/],
    ['a limit of zero', { limit: '0' }, 400, /^limit: expected a whole number from 1 to 1000/],
    ['a limit too large', { limit: '1001' }, 400, /^limit: /],
    ['a made-up cursor', { cursor: 'abc' }, 400, /^cursor: expected the next of an earlier answer/],
    ['an empty cursor', { cursor: '' }, 400, /^cursor: /],
    ['an ERC-1155', { token_address: TOKENS.items.address }, 400, /ERC-1155 contract/],
    ['an account without code', { token_address: alice }, 404, /no contract/],
    ['a block in place of the ends', { block_height: '1' }, 400, /^unknown parameter block_height/],
  ])('is refused for %s', async (_what, change, status, message) => {
    const query = { token_address: UNI.address, holder: alice, from: '18000000', ...change };
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const { body, ...answer } = await ask(Object.fromEntries(given) as Asked);
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
    expect(answer.status).toBe(status);
  });
});
