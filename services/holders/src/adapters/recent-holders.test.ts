/** The accounts that the newest events concern: all of them, or an error. */
import { beforeAll, expect, it, jest } from '@jest/globals';
import { LogSearch } from '@hindsight/chain/logs/log-search.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { KnownBlocks } from '@hindsight/chain/state/known-blocks.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import { ETHER_LOGS } from '@hindsight/chain/tokens/token-events.ts';
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock as clock } from '@hindsight/kernel/clock.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { PinnedBlock, RecentHolders } from '../ports.ts';
import { createRecentHolders } from './recent-holders.ts';

const { signal } = new AbortController();
const FROM = TOKENS.uni.since + 1;
const [uni, alice] = [TOKENS.uni.address.toLowerCase(), HOLDERS.alice.toLowerCase()];
let logs: LogSearch;
let recent: RecentHolders;
let to: PinnedBlock;

beforeAll(async () => {
  const { url } = await sharedDevchain(process.env);
  const node = carriedJsonRpc({ url, timeoutMs: 60_000 });
  const known = new KnownBlocks(clock);
  logs = new LogSearch({ node, known, clock });
  recent = createRecentHolders(logs, ETH_MAINNET, 5_000);
  const reader = new ChainReader({ node, network: ETH_MAINNET, clock, known });
  to = { ...(await reader.findBlock(CHAIN.head)), finalized: false };
});

it('are none where the nodes did not say all of it in time', async () => {
  const find = (by = recent) => by.find(uni, CHAIN.story, to, signal);
  const now = performance.now();
  // The time is up before the first answer.
  const late = jest
    .spyOn(performance, 'now')
    .mockReturnValueOnce(now)
    .mockReturnValue(now + 60_000);
  await expect(find()).rejects.toMatchObject({ code: 'index_behind' });
  // One that may take longer still has time.
  expect(await find(createRecentHolders(logs, ETH_MAINNET, 120_000))).toContain(alice);
  late.mockRestore();
});

it('are in blocks whose events name the holder, and in no other', async () => {
  const { ledger } = buildPlan();
  const found = await recent.blocks({ tokens: [uni], holder: alice }, FROM, to, signal);
  const heights = Array.from({ length: CHAIN.head - FROM + 1 }, (_, i) => FROM + i);
  const held = (height: number): bigint => ledger.balanceAt(TOKENS.uni.address, HOLDERS.alice, height);
  expect(found.map(({ number }) => number)).toEqual(heights.filter((at) => held(at) !== held(at - 1)));
});

it('are searched once for all pages of a list, and again for another block or another question', async () => {
  const search = jest.spyOn(logs, 'search');
  const own = createRecentHolders(logs, ETH_MAINNET, 60_000);
  const ask = (by: Parameters<RecentHolders['blocks']>[0], from = FROM) => own.blocks(by, from, to, signal);
  const asked = { tokens: [uni], holder: alice };
  const found = await ask(asked);
  expect(await ask({ ...asked })).toEqual(found);
  expect(search).toHaveBeenCalledTimes(1);
  await ask(asked, FROM + 1);
  await ask({ ...asked, tokens: null });
  expect(search).toHaveBeenCalledTimes(3);
  const find = (from = FROM, isNamed = true) => own.find(uni, from, { ...to, isNamed }, signal);
  const holders = await find();
  expect(holders).toContain(alice);
  expect(await find()).toEqual(holders);
  expect(search).toHaveBeenCalledTimes(4);
  await find(FROM + 1);
  await own.find(uni, FROM, { ...to, hash: `0x${'0'.repeat(64)}`, isNamed: true }, signal).catch(() => []);
  // The latest block may be gone: a search tells.
  await find(FROM, false);
  expect(search).toHaveBeenCalledTimes(7);
  search.mockRestore();
});

it('are an error that callers may try again where the nodes fail, and of no ether', async () => {
  const log = { topics: [], data: Buffer.alloc(0), blockHash: to.hash, transactionHash: to.hash };
  let fault: Error | undefined;
  const search = async function* () {
    if (fault) throw fault;
    yield { to: to.number, logs: [ETHER_LOGS, uni].map((address) => ({ ...log, address, block: FROM })) };
  };
  const own = createRecentHolders({ search } as unknown as LogSearch, ETH_MAINNET, 60_000);
  const blocks = (from: number) => own.blocks({ tokens: null, holder: undefined }, from, to, signal);
  expect(await blocks(FROM)).toEqual([{ number: FROM, hash: to.hash, tokens: [uni] }]);
  fault = new NodeError('unreachable', 'no node answers');
  await expect(blocks(FROM + 1)).rejects.toMatchObject({
    statusCode: 503,
    code: 'index_behind',
    cause: fault,
  });
  fault = new TypeError('a fault of ours');
  await expect(blocks(FROM + 1)).rejects.toBe(fault);
});
