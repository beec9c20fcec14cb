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
/** Deeper than a reorganisation goes, and than the blocks that the index lacks. */
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
  /** A list that says itself that it lacks some. */
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

/** The list of a block by the ledger. */
function truth(token: string, { hash, balances }: LedgerBlock): Listed {
  const held = [...balances].filter(([key, amount]) => key.startsWith(token) && amount > 0n);
  const holders = held.map(([key, amount]) => [key.split(' ')[1]!, amount.toString()] as const);
  const order = ([one]: readonly [string, string]): string => one.toLowerCase();
  return { status: 200, hash, holders: holders.sort((a, b) => (order(a) < order(b) ? -1 : 1)) };
}

/** Another course of events, or one more block. */
const go = (): Promise<void> => (random.below(2) === 0 ? chain.reorganise() : chain.grow());

it('lists who held a token in the block as the chain has it now', async () => {
  let gone = 0;
  for (let step = 0; step < STEPS; step++) {
    const before = chain.head;
    await go();
    const { head } = chain;
    const earlier = chain.at(head.number - random.below(LOOKED_BACK));
    for (const token of chain.tokens) {
      // The newest block as the service knows it, which may be a little older.
      const latest = await list(token, {});
      // It may also be gone: the list is then refused.
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

it('lists who held a token in the block that it names, while the chain is reorganised', async () => {
  let told = 0;
  for (let step = 0; step < STEPS; step++) {
    const going = go();
    let isGoing = true;
    void going.finally(() => (isGoing = false));
    const listed: (readonly [token: string, listed: Listed])[] = [];
    const repeat = async (token: string): Promise<void> => {
      while (isGoing) listed.push([token, await list(token, {})]);
    };
    await Promise.all(chain.tokens.map(repeat));
    await going;
    for (const [token, one] of listed) {
      // The block may have gone before its amounts were read.
      if (one.status !== 200 || one.isBroken) continue;
      told += 1;
      expect(one).toEqual(truth(token, chain.byHash(one.hash!)!));
    }
  }
  process.stdout.write(`lists during reorganisations: ${told}\n`);
  expect(told).toBeGreaterThan(STEPS);
}, 600_000);

it('has each block in the index as the chain had it in the end', async () => {
  const { number } = chain.head;
  for (let block = 0; block < LOOKED_BACK; block++) await chain.grow();
  const [token] = chain.tokens;
  const indexedTo = async (): Promise<number> => {
    const { payload } = await app.inject({ url: `/v1/eth-mainnet/token/holders?token_address=${token}` });
    return (JSON.parse(payload.split('\n')[0]!) as { index: { to_block: number } }).index.to_block;
  };
  await until('the blocks are indexed', async () => (await indexedTo()) >= number);
  for (let height = number; height > CHAIN.genesis + LOOKED_BACK; height -= 1 + random.below(3))
    for (const of of chain.tokens)
      expect(await list(of, { block_height: String(height) })).toEqual(truth(of, chain.at(height)));
}, 600_000);
