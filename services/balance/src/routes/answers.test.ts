/** Shared by all endpoints of the service: dates, names, caching, deadlines. */
import { describe, expect, it } from '@jest/globals';
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runBehindProxy } from '../../test/support/on-devchain.ts';
import { runBalance, type RunningBalance } from '../../test/support/run-balance.ts';

const balance = forAllTests(runBehindProxy, 'stop');
const { ledger } = buildPlan();
const { alice, carol, treasury, vault } = HOLDERS;
const USDC = TOKENS.usdc.address;

const path = (query: Record<string, string>, endpoint = 'balance/single'): string =>
  `/v1/eth-mainnet/${endpoint}?${new URLSearchParams(query).toString()}`;
const ask = (query: Record<string, string>): ReturnType<RunningBalance['ask']> => balance.ask(path(query));
const usdcOf = (holder: string): Record<string, string> => ({ token_address: USDC, holder });

/** A second service with empty caches. */
async function fresh<T>(use: (service: RunningBalance) => Promise<T>, deadlineMs?: number): Promise<T> {
  const service = await runBalance(balance.proxy.url, deadlineMs === undefined ? {} : { deadlineMs });
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}

describe('date', () => {
  it.each([
    ['the very second of a block', '2023-08-26T16:21:35Z', 18_000_000],
    ['a second before it', '2023-08-26T16:21:34Z', 17_999_999],
    ['another zone', '2023-08-26T18:21:35+02:00', 18_000_000],
    ['a fraction of a second', '2023-08-26T16:21:35.999Z', 18_000_000],
    ['the first block', new Date(CHAIN.genesisTime * 1000).toISOString(), CHAIN.genesis],
    ['the head', new Date(CHAIN.headTime * 1000).toISOString(), CHAIN.head],
    ['a moment after the head', '2024-01-01', CHAIN.head],
  ])('means the last block at or before it: %s', async (_what, date, height) => {
    const { body } = await balance.ask(path({ holder: alice, date }, 'balance/native'));
    expect(body).toMatchObject({
      checked_at_block: height,
      balance: ledger.nativeAt(alice, height).toString(),
    });
  });

  it.each([
    [
      'before the first block',
      { date: '2021-11-14T15:50:00Z' },
      404,
      /^date: .*before the chain's first block/,
    ],
    ['in the future', { date: '2999-01-01' }, 404, /^date: .*in the future; the latest block is 18000150/],
    ['no date', { date: 'yesterday' }, 400, /^date: expected ISO 8601/],
    ['a day that does not exist', { date: '2023-02-30' }, 400, /^date: there is no such date/],
    ['empty', { date: '' }, 400, /^date: it is empty/],
    [
      'together with a height',
      { date: '2023-08-26', block_height: '1' },
      400,
      /^date: given together with block_height/,
    ],
  ])('that is %s is refused', async (_what, query, status, message) => {
    const { body } = await ask({ ...usdcOf(alice), ...query });
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
  });
});

describe('names', () => {
  it('are resolved at the height of the question', async () => {
    const before = await ask({ ...usdcOf('treasury.eth'), block_height: '17999999' });
    expect(before.body).toMatchObject({
      holder: treasury,
      balance: '1250000000000',
      checked_at_block: 17_999_999,
    });
    const after = await ask({ ...usdcOf('treasury.eth'), block_height: '18000000' });
    expect(after.body).toMatchObject({ holder: vault, checked_at_block: 18_000_000 });
    const dated = await ask({ ...usdcOf('Treasury.ETH'), date: '2023-08-26T16:21:34Z' });
    expect(dated.body).toMatchObject({ holder: treasury, checked_at_block: 17_999_999 });
  });

  it.each([
    ['points nowhere', 'nobody.eth', 404, /^holder: the name nobody\.eth has no address at block 18000000/],
    ['is not a valid name', 'a..eth', 400, /^holder: /],
    ['mixes scripts', 'ра\u0443pal.eth', 400, /^holder: .*illegal mixture: Cyrillic \+ Latin/],
    ['is kept off-chain', 'offchain.eth', 422, /^holder: this name is kept off-chain/],
  ])('that %s', async (_what, holder, status, message) => {
    const { body } = await ask({ ...usdcOf(holder), block_height: '18000000' });
    expect(body.message).toMatch(message);
    expect(body.statusCode).toBe(status);
  });

  it('that got an address later have it in the error', async () => {
    const { body } = await ask({ ...usdcOf('bob.eth'), block_height: '17999880' });
    expect(body).toMatchObject({
      code: 'unknown_name',
      message:
        'holder: the name bob.eth has no address at block 17999880; at the latest block, 18000150, ' +
        `it means ${carol}: where it had none, give the address that you mean`,
    });
  });

  it('cost at most two HTTP requests', async () => {
    const cost = await fresh(async (service) => {
      const before = balance.proxy.requests;
      expect((await service.ask(path({ ...usdcOf('alice.eth'), block_height: '17999950' }))).status).toBe(
        200,
      );
      return balance.proxy.requests - before;
    });
    expect(cost).toBeLessThanOrEqual(2);
  });
});

describe('an answer at a finalized block', () => {
  const question = { ...usdcOf(alice), block_height: '17999960' };

  it('is immutable, and is not sent again to a client that has it', async () => {
    const first = await balance.ask(path(question));
    expect(first.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*', etag.replace(/"$/, '-br"')]) {
      const again = await fetch(balance.url + path(question), { headers: { 'if-none-match': known } });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    const other = await fetch(balance.url + path(question), { headers: { 'if-none-match': '"other"' } });
    expect([other.status, await other.json()]).toEqual([200, first.body]);
  });

  it('is read from the node once', async () => {
    await fresh(async (service) => {
      const first = await service.ask(path(question));
      const before = balance.proxy.requests;
      expect((await service.ask(path(question))).body).toEqual(first.body);
      const inLowerCase = { ...question, holder: alice.toLowerCase() };
      expect((await service.ask(path(inLowerCase))).body).toEqual(first.body);
      expect(balance.proxy.requests).toBe(before);
    });
  });

  it('is shared by concurrent callers, and costs one request', async () => {
    await fresh(async (service) => {
      const before = balance.proxy.requests;
      const answers = await Promise.all(Array.from({ length: 30 }, () => service.ask(path(question))));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(balance.proxy.requests - before).toBe(1);
    });
  });
});

it('an answer at a date is not immutable while the block after it may be another', async () => {
  const final = CHAIN.head - 64;
  const cachedAt = async (height: number): Promise<string | null> => {
    const { body } = await balance.ask(`/v1/eth-mainnet/block?block_height=${height}`);
    const { headers } = await ask({ ...usdcOf(alice), date: body.date as string });
    return headers.get('cache-control');
  };
  expect(await cachedAt(final - 1)).toContain('immutable');
  expect(await cachedAt(final)).toBe('private, no-cache');
});

describe('an answer at any other block', () => {
  it('must be revalidated, which is cheap if it is unchanged', async () => {
    const first = await ask(usdcOf(alice));
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const known = first.headers.get('etag')!;
    const again = await fetch(balance.url + path(usdcOf(alice)), { headers: { 'if-none-match': known } });
    expect(again.status).toBe(304);
  });

  it('is not cached: a new block shows within half a second', async () => {
    const { ask: askNode } = await import('@hindsight/devchain/client.ts');
    const { mine } = await import('@hindsight/devchain/control.ts');
    const own = await startDevchain();
    const service = await runBalance(own.url);
    const before = await service.ask(path(usdcOf(alice)));
    await mine(own.url);
    await new Promise((resolve) => setTimeout(resolve, 550));
    const after = await service.ask(path(usdcOf(alice)));
    expect(after.body.checked_at_block).toBe((before.body.checked_at_block as number) + 1);
    expect(after.body.checked_at_block).toBe(Number(await askNode(own.url, 'eth_blockNumber')));
    await service.stop();
    await own.stop();
  });
});

describe('a request', () => {
  it('that takes longer than its deadline gets a 504', async () => {
    balance.proxy.delayMs = 1_000;
    await fresh(async (service) => {
      const { body } = await service.ask(path(usdcOf(alice)));
      expect(body).toMatchObject({ statusCode: 504, error: 'Gateway Timeout' });
    }, 300);
    balance.proxy.delayMs = 0;
  });
});
