/** Lists of holders near the head of a chain that reorganises, against a ledger of every block that ever was. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CHAIN } from '@hindsight/devchain/world.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runBalance, type RunningBalance } from '../../services/balance/test/support/run-balance.ts';
import { LedgerChain, type LedgerBlock } from '../truth/lag/ledger-chain.ts';
import { Random } from '../truth/lag/random.ts';
import { HolderWorld } from './support/holder-world.ts';

const STEPS = rounds(24);
/** More blocks than a reorganisation replaces, and than the index lags behind the head. */
const LOOKED_BACK = 70;

const random = new Random(11);
const world = forAllTests(HolderWorld.onDevchain, 'close');
const chain = forAllTests(() => LedgerChain.start(random), 'stop');
let balance: RunningBalance;
let app: HttpServer;

beforeAll(async () => {
  balance = await runBalance(chain.url);
  app = await world.start({ nodeUrl: chain.url, balanceUrl: balance.url });
});
afterAll(() => balance.stop());

interface Listed {
  readonly status: number;
  readonly code?: string;
  readonly hash?: string;
  readonly holders?: readonly (readonly [holder: string, balance: string])[];
  /** The list itself says that it is not whole. */
  readonly isBroken?: true;
}

async function list(token: string, at: Readonly<Record<string, string>>): Promise<Listed> {
  const query = new URLSearchParams({ token_address: token, ...at }).toString();
  const url = `/v1/eth-mainnet/token/holders?${query}`;
  const { statusCode: status, payload } = await app.inject({ method: 'GET', url });
  const lines = payload
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  if (status !== 200) return { status, code: lines[0]!.code as string };
  const { record, errors, next } = lines.at(-1)!;
  const holders = lines.slice(1, -1).map(({ holder, balance: held }) => [holder, held] as [string, string]);
  const isWhole = record === 'end' && errors === 0 && next === null;
  return { status, hash: lines[0]!.block_hash as string, holders, ...(isWhole ? {} : { isBroken: true }) };
}

/** The list at a block, by the ledger. */
function truth(token: string, { hash, balances }: LedgerBlock): Listed {
  const held = [...balances].filter(([key, amount]) => key.startsWith(token) && amount > 0n);
  const holders = held.map(([key, amount]) => [key.split(' ')[1]!, amount.toString()] as const);
  const order = ([one]: readonly [string, string]): string => one.toLowerCase();
  return { status: 200, hash, holders: holders.sort((a, b) => (order(a) < order(b) ? -1 : 1)) };
}

/** A reorganisation, or one more block. */
const advance = (): Promise<void> => (random.below(2) === 0 ? chain.reorganise() : chain.grow());

it('lists who held a token in the block as the chain has it now', async () => {
  let gone = 0;
  for (let step = 0; step < STEPS; step++) {
    const before = chain.head;
    await advance();
    const { head } = chain;
    const earlier = chain.at(head.number - random.below(LOOKED_BACK));
    for (const token of chain.tokens) {
      // The service may know an older block as the newest.
      const latest = await list(token, {});
      // The list is refused where that block was reorganised away.
      const named = chain.byHash(latest.hash ?? '');
      if (named === undefined) expect(latest).toMatchObject({ status: 503, code: 'index_behind' });
      else expect(latest).toEqual(truth(token, named));
      expect(await list(token, { block_hash: head.hash })).toEqual(truth(token, head));
      expect(await list(token, { block_height: String(earlier.number) })).toEqual(truth(token, earlier));
    }
    if (chain.at(before.number) === before) continue;
    gone += 1;
    expect(await list(random.of(chain.tokens), { block_hash: before.hash })).toMatchObject({ status: 404 });
  }
  expect(gone).toBeGreaterThan(STEPS / 4);
});

it('lists who held a token in the block that the answer names, while the chain is reorganised', async () => {
  let compared = 0;
  // The machine decides which lists come whole while the chain advances: it advances until there are enough.
  for (let step = 0; step < STEPS || compared <= STEPS; step++) {
    const advancing = advance();
    let isAdvancing = true;
    void advancing.finally(() => (isAdvancing = false));
    const listed: (readonly [token: string, listed: Listed])[] = [];
    const repeat = async (token: string): Promise<void> => {
      while (isAdvancing) listed.push([token, await list(token, {})]);
    };
    await Promise.all(chain.tokens.map(repeat));
    await advancing;
    for (const [token, one] of listed) {
      // The block may have been reorganised away before its amounts were read.
      if (one.status !== 200 || one.isBroken) continue;
      compared += 1;
      expect(one).toEqual(truth(token, chain.byHash(one.hash!)!));
    }
  }
});

it('counts no holders over two chains', async () => {
  const { number } = chain.head;
  const range = { from: String(number - 6), to: String(number), points: '7' };
  const query = new URLSearchParams({ token_address: chain.tokens[0]!, ...range }).toString();
  const count = () => app.inject({ url: `/v1/eth-mainnet/token/holders/series?${query}` });
  let isReorganised = false;
  world.spy = async (path) => {
    if (isReorganised || !path.endsWith(`/block?block_height=${number - 1}`)) return;
    isReorganised = true;
    await chain.reorganise();
  };
  const { statusCode, payload } = await count();
  expect([isReorganised, statusCode, payload]).toEqual([true, 503, expect.stringContaining('index_behind')]);
  const { points } = JSON.parse((await count()).payload) as { points: readonly { block_hash: string }[] };
  expect(points.map(({ block_hash: hash }) => hash)).toEqual(
    [6, 5, 4, 3, 2, 1, 0].map((below) => chain.at(number - below).hash),
  );
});

it('lists each block as the chain has it in the end', async () => {
  const { number } = chain.head;
  for (let block = 0; block < LOOKED_BACK; block++) await chain.grow();
  const [token] = chain.tokens;
  const indexedTo = async (): Promise<number> => {
    const { payload } = await app.inject({ url: `/v1/eth-mainnet/token/holders?token_address=${token}` });
    const { index } = JSON.parse(payload.split('\n')[0]!) as { index?: { to_block: number } };
    return index?.to_block ?? -1;
  };
  await until('the blocks are indexed', async () => (await indexedTo()) >= number);
  for (let height = number; height > CHAIN.story + LOOKED_BACK; height -= 1 + random.below(3))
    for (const held of chain.tokens)
      expect(await list(held, { block_height: String(height) })).toEqual(truth(held, chain.at(height)));
});
