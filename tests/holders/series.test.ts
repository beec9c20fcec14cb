/** The number of holders over time, against the ledger of every transfer. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, TOKENS } from '@hindsight/devchain/world.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { holdersAt } from '../support/ledger-holders.ts';
import { HolderWorld } from './support/holder-world.ts';

const { ledger } = buildPlan();
const PATH = '/v1/eth-mainnet/token/holders/series';
const { usdc, uni, bayc, items } = TOKENS;

type Query = Readonly<Record<string, string>>;
interface Point {
  readonly block: number;
  readonly holders: number | null;
  readonly errors: number;
}

const world = forAllTests(HolderWorld.onDevchain, 'close');
let app: HttpServer;
beforeAll(async () => {
  app = await world.start();
});

async function ask(query: Query) {
  const { statusCode, payload, headers } = await app.inject({
    method: 'GET',
    url: `${PATH}?${new URLSearchParams(query).toString()}`,
  });
  return { status: statusCode, headers, body: JSON.parse(payload) as Readonly<Record<string, unknown>> };
}

async function pointsOf(query: Query): Promise<readonly Point[]> {
  const { status, body } = await ask(query);
  expect([status, status === 200 ? '' : body]).toEqual([200, '']);
  return body.points as readonly Point[];
}

describe('GET token/holders/series', () => {
  it('refuses more points than balances are read for, before it reads one', async () => {
    const many = await world.start({
      keep: (index) => ({
        ...index,
        async *holders({ limit }) {
          yield Array.from({ length: limit }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`);
        },
      }),
    });
    const query = new URLSearchParams({ token_address: usdc.address, points: '100' }).toString();
    const { statusCode, payload } = await many.inject({ url: `${PATH}?${query}` });
    expect([statusCode, payload]).toEqual([422, expect.stringContaining('more than 10000 addresses')]);
    await world.endLast();
  });

  it.each([usdc, uni, bayc].map(({ symbol, address, since }) => [symbol, address, since] as const))(
    'counts the holders of %s as the ledger does, and null before its contract',
    async (_symbol, token, since) => {
      const points = await pointsOf({ token_address: token, from: String(CHAIN.story) });
      expect(points).toHaveLength(12);
      expect([points[0]!.block, points.at(-1)!.block]).toEqual([CHAIN.story, CHAIN.head]);
      for (const { block, holders, errors } of points)
        expect([block, holders, errors]).toEqual([
          block,
          block < since ? null : holdersAt(ledger, token, block).length,
          0,
        ]);
    },
  );

  it('counts the holders of one id of an ERC-1155', async () => {
    const from = String(items.since);
    const points = await pointsOf({ token_address: items.address, token_id: '0', from, points: '5' });
    const expected = points.map(({ block }) => holdersAt(ledger, items.address, block, 0n).length);
    expect(points.map(({ holders }) => holders)).toEqual(expected);
  });

  it('begins and ends where it is asked to, at dates too', async () => {
    const range = { token_address: usdc.address, from: '2023-08-26T16:00:00Z', to: '18000000', points: '3' };
    const points = await pointsOf(range);
    expect(points.map(({ block }) => block)[2]).toBe(18_000_000);
    expect(points).toHaveLength(3);
    const [one, ...more] = await pointsOf({ ...range, points: '1' });
    expect([one!.block, more]).toEqual([18_000_000, []]);
  });

  it.each([
    ['2023-08-26T16:21:35Z', 18_000_000],
    ['2023-08-26T16:21:35.000Z', 18_000_000],
    // A moment after the block in that second.
    ['2023-08-26T16:21:35.001Z', 18_000_001],
    ['2023-08-26T18:21:35,5+02:00', 18_000_001],
    ['1970-01-01', CHAIN.genesis],
  ])('begins at the first block at or after %s', async (from, block) => {
    const [first] = await pointsOf({ token_address: usdc.address, from, to: '18000005', points: '2' });
    expect(first!.block).toBe(block);
  });

  it('reads each block once, and costs what it reads', async () => {
    const query = { token_address: usdc.address, from: '17999900', to: '18000000', points: '4' };
    await ask(query);
    const asked: string[] = [];
    world.spy = (path) => void asked.push(path);
    const { headers, body } = await ask(query);
    world.spy = () => undefined;
    expect(asked.filter((path) => path.includes('snapshot'))).toEqual([]);
    expect([headers['x-hindsight-units'], body.units]).toEqual(['6', 6]);
  });

  it('is of one index: where that was made again meanwhile, it is a 503', async () => {
    let later = 0;
    const remade = await world.start({
      keep: (index) => ({
        ...index,
        async positions(tracks) {
          const positions = await index.positions(tracks);
          return positions.map((position) => position && { ...position, from: position.from + later });
        },
      }),
    });
    // The addresses of the last point are known once their balances are read.
    world.spy = (path) => void (later ||= Number(path.includes('snapshot')));
    const query = new URLSearchParams({ token_address: usdc.address, from: '17999900' }).toString();
    const { statusCode, payload } = await remade.inject({ url: `${PATH}?${query}` });
    world.spy = () => undefined;
    expect([statusCode, payload]).toEqual([503, expect.stringContaining('index_behind')]);
    await world.endLast();
  });

  it('refuses what it cannot count', async () => {
    const at = async (query: Query) => {
      const { status, body } = await ask({ token_address: usdc.address, ...query });
      return { status, code: body.code };
    };
    const { body } = await ask({ token_address: usdc.address, to: '99999999' });
    expect(body.message).toMatch(/^to: block 99999999 does not exist yet; /);
    expect(await at({ from: '18000000', to: '17999999' })).toEqual({ status: 400, code: 'invalid_range' });
    expect(await at({ points: '101' })).toEqual({ status: 400, code: 'invalid_parameter' });
    expect(await at({ to: '99999999' })).toEqual({ status: 404, code: 'block_above_head' });
    expect(await at({ token_address: items.address })).toEqual({
      status: 400,
      code: 'wrong_token_standard',
    });
  });
});
