import { describe, expect, it } from '@jest/globals';
import { callAt } from '@hindsight/devchain/client.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { Interface } from 'ethers';
import { runOnDevchain } from '../../test/support/on-devchain.ts';
import type { RunningBalance } from '../../test/support/run-balance.ts';

const balance = forAllTests(runOnDevchain, 'stop');
const { alice, treasury, vault } = HOLDERS;
const VAULT = TOKENS.savings.address;
const PRICE = 'convertToAssets(uint256 shares) returns (uint256 assets)';
const SHARE = '1000000000000000000';
const [FROM, TO] = [LANDMARKS.savingsOpen - 3, CHAIN.head];

const ask = (body: object): ReturnType<RunningBalance['ask']> =>
  balance.ask('/v1/eth-mainnet/call/series', body);

/** The price of a share by plain calls; undefined where there is no vault. */
async function priceAt(height: number): Promise<string | undefined> {
  const abi = new Interface([`function ${PRICE}`]);
  const data = abi.encodeFunctionData('convertToAssets', [SHARE]);
  const raw = await callAt(balance.devchain.url, VAULT, data, height);
  return raw === '0x' ? undefined : String(abi.decodeFunctionResult('convertToAssets', raw)[0]);
}

describe('POST call/series', () => {
  it('has the price of a vault’s share at each point, as plain calls have it', async () => {
    const heights = Array.from({ length: TO - FROM + 1 }, (_, i) => FROM + i);
    const prices = await Promise.all(heights.map(priceAt));
    expect(new Set(prices).size).toBeGreaterThan(2);
    const { status, headers, body } = await ask({
      ...{ target: VAULT, function: PRICE, args: [SHARE] },
      ...{ from: FROM, to: TO, step: 1 },
    });
    expect([status, body.message]).toEqual([200, undefined]);
    expect(body).toMatchObject({ target: VAULT, function: PRICE, chain_id: 1 });
    expect(body.points).toEqual(
      prices.map((price, i) => ({
        instant: null,
        date: expect.any(String),
        block: heights[i],
        block_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        ...(price === undefined ? { reason: 'no-contract' } : { values: [price] }),
      })),
    );
    expect(headers.get('x-hindsight-units')).toBe(String(Math.ceil(heights.length / 10)));
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('takes dates and a number of points, in text or as numbers', async () => {
    const asked = { target: TOKENS.uni.address, function: 'totalSupply() returns (uint256)' };
    const range = { from: '2023-08-26T16:10:00Z', to: '2023-08-26T16:21:40Z' };
    const [one, other] = await Promise.all([
      ask({ ...asked, ...range, points: 5 }),
      ask({ ...asked, ...range, points: '5' }),
    ]);
    expect(one.body).toEqual(other.body);
    expect(one.body.points).toHaveLength(5);
    expect((one.body.points as object[]).at(-1)).toMatchObject({
      instant: '2023-08-26T16:21:40.000Z',
      block: 18_000_000,
      values: [expect.stringMatching(/^\d+$/)],
    });
  });

  it('says of each point why it has no values', async () => {
    const range = { from: 17_999_990, to: 18_000_000, step: 5 };
    const points = async (asked: object): Promise<unknown> => (await ask({ ...asked, ...range })).body.points;
    const target = TOKENS.bayc.address;
    const reverted = { target, function: 'ownerOf(uint256) returns (address)', args: ['424242'] };
    expect(await points(reverted)).toMatchObject(Array(3).fill({ reverted: { data: expect.any(String) } }));
    const mistaken = { target, function: 'symbol() returns (bool)' };
    expect(await points(mistaken)).toMatchObject(Array(3).fill({ error: { code: 'call_answer_mismatch' } }));
    const undeclared = { target, function: 'name()' };
    expect(await points(undeclared)).toMatchObject(
      Array(3).fill({ values: [], data: expect.stringMatching(/^0x[0-9a-f]{192}$/) }),
    );
  });

  it('is CSV where the client prefers it, with a column for each value', async () => {
    const answer = await fetch(`${balance.url}/v1/eth-mainnet/call/series`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/csv' },
      body: JSON.stringify({
        ...{ target: VAULT, function: PRICE, args: [SHARE] },
        ...{ from: LANDMARKS.savingsOpen - 1, to: LANDMARKS.savingsOpen + 1, step: 2 },
      }),
    });
    expect(answer.headers.get('content-type')).toContain('text/csv');
    const [header, before, after, end] = (await answer.text()).split('\r\n');
    expect(header).toBe('instant,date,block,block_hash,target,value_assets,reason');
    expect(before).toMatch(new RegExp(`,${LANDMARKS.savingsOpen - 1},0x[0-9a-f]{64},${VAULT},,no-contract$`));
    expect(after).toMatch(new RegExp(`,${VAULT},\\d+,$`));
    expect(end).toBe('');
  });

  it('has a column for each value where two have one name', async () => {
    const answer = await fetch(`${balance.url}/v1/eth-mainnet/call/series`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/csv' },
      body: JSON.stringify({
        ...{ target: VAULT, function: 'asset() returns (uint128 a, uint128 a, uint128 b)' },
        ...{ from: LANDMARKS.savingsOpen, to: LANDMARKS.savingsOpen + 1, step: 1 },
      }),
    });
    const [header] = (await answer.text()).split('\r\n');
    expect(header).toBe('instant,date,block,block_hash,target,value_0,value_1,value_b,reason');
  });

  it('resolves a name once, at the last point, and refuses one that moved', async () => {
    const asked = { function: 'name() returns (string)', step: 5 };
    const moved = await ask({ ...asked, target: 'treasury.eth', from: 17_999_990, to: 18_000_010 });
    expect([moved.status, moved.body.code]).toEqual([409, 'name_moved']);
    expect(moved.body.message).toMatch(
      new RegExp(`^target: the name treasury.eth means ${vault} .* meant ${treasury} at block`),
    );
    const wallet = await ask({ ...asked, target: 'alice.eth', from: 17_999_990, to: 18_000_000 });
    expect([wallet.status, wallet.body.code]).toEqual([404, 'no_contract']);
    expect(wallet.body.message).toContain(alice);
  });

  const good = { target: VAULT, function: PRICE, args: [SHARE], from: 17_999_990, to: 18_000_000, step: 5 };
  it.each([
    ['no step', { step: undefined }, 400, /^step is required, or points/],
    ['step and points', { points: 3 }, 400, /^points: given together with step/],
    ['a step of nothing', { step: 0 }, 400, /^step: expected 1h/],
    ['a step of a list', { step: [1] }, 400, /^step: expected 1h/],
    ['one point', { step: undefined, points: 1 }, 400, /^points: expected a number of points from 2/],
    ['no start', { from: undefined }, 400, /^from: expected a block height or a date/],
    ['a start that is no date', { from: 'yesterday' }, 400, /^from: expected a block height/],
    ['a start of true', { from: true }, 400, /^from: expected a block height or a date/],
    ['ends in the wrong order', { from: 18_000_001 }, 400, /^from: it is after to/],
    ['too many points', { from: 17_000_000, step: 1 }, 400, /^step: .* expected at most 1,000/],
    [
      'an end above the head',
      { to: 99_999_999, step: undefined, points: 2 },
      404,
      /^to: block 99999999 does not/,
    ],
    ['no contract', { target: UNUSED_ADDRESS }, 404, /^There is no contract at/],
    ['a bad signature', { function: 'f(' }, 400, /^function: it cannot be read/],
    ['an argument too few', { args: [] }, 400, /^args: expected 1 argument/],
    ['an argument of another type', { args: ['x'] }, 400, /^args\[0\]: expected a uint256/],
    ['arguments that are no list', { args: '1' }, 400, /^args: expected a list of arguments/],
    ['an unknown field', { block_height: 5 }, 400, /^unknown field block_height|block_height/],
  ])('is refused for %s', async (_what, change, status, message) => {
    const { body, ...answer } = await ask({ ...good, ...change });
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
    expect(answer.status).toBe(status);
  });
});
