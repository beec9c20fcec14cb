/** A wallet flooded with others' events: their contracts are cut, and the wallet's own stay listed. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { mine, sendAndMine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { readListCursor, writeListCursor } from '../src/domain/list-page.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const OWN = 3;
const JUNK_BATCHES = 4;
const WALLET = `0x${'3c'.repeat(20)}`;
const STRANGER = `0x${'4d'.repeat(20)}`;

const wallet = `73${WALLET.slice(2)}`;
/** Ends init code: the contract answers everything with 7. */
const answersSeven = '69600760005260206000f3600052600a6016f3';
/** A token that sends WALLET one and emits its approval of UNUSED_ADDRESS. */
const token = [
  '60075f52',
  `${wallet}5f7f${TOPICS.transfer.slice(2)}60205fa3`,
  `73${UNUSED_ADDRESS.slice(2)}${wallet}7f${TOPICS.approval.slice(2)}60205fa3`,
  answersSeven,
].join('');
/** Says of 2,100 spenders that WALLET approved them. */
const approvals = [
  '60075f52',
  '6108345b',
  `80${wallet}7f${TOPICS.approval.slice(2)}60205fa3`,
  '6001900380600757',
  answersSeven,
].join('');
/** Says that WALLET received 500 ids. */
const batch = [
  '60405f52',
  '6101f4604052',
  '6101f45b',
  '808060051b60400152',
  '6001900380600d57',
  `${wallet}5f5f7f${TOPICS.batch.slice(2)}613ee05fa4`,
  answersSeven,
].join('');

let devchain: Devchain;
let balance: RunningBalance;
let own: readonly string[];
let junkApprovals: string | undefined;
let junkBatches: readonly string[];

beforeAll(async () => {
  devchain = await startDevchain();
  own = await deployMany(OWN, token);
  [junkApprovals] = await deployMany(1, approvals);
  junkBatches = await deployMany(JUNK_BATCHES, batch);
  balance = await runBalance(devchain.url);
});
afterAll(async () => {
  await balance.stop();
  await devchain.stop();
});

/** One a block. @returns the contracts, in lower case, sorted */
async function deployMany(count: number, code: string): Promise<readonly string[]> {
  const contracts: string[] = [];
  while (contracts.length < count) {
    const { contractAddress } = await sendAndMine(devchain.url, { from: STRANGER, data: `0x${code}` });
    contracts.push(contractAddress.toLowerCase());
  }
  return contracts.sort();
}

const lower = (addresses: unknown): string[] =>
  (addresses as string[]).map((address) => address.toLowerCase()).sort();

it('allowance/list has the approvals of the owner, and says whose were cut', async () => {
  const { status, body } = await balance.ask(`/v1/eth-mainnet/allowance/list?owner=${WALLET}`);
  expect([status, body.message]).toEqual([200, undefined]);
  const rows = body.allowances as { token_address: string; spender: string }[];
  const owned = rows
    .filter(({ spender }) => spender === UNUSED_ADDRESS)
    .map(({ token_address }) => token_address);
  expect(lower(owned)).toEqual(own);
  const { cut, ...asked } = body.asked as Record<string, unknown>;
  expect(asked).toMatchObject({ complete: false, pairs: OWN + 500, unread: [] });
  expect(lower(cut)).toEqual([junkApprovals]);
});

it('portfolio has the tokens of the holder, and says whose ids were cut', async () => {
  const { status, body } = await balance.ask(`/v1/eth-mainnet/portfolio?holder=${WALLET}`);
  expect([status, body.message]).toEqual([200, undefined]);
  const held = (body.tokens as { token_address: string }[]).map(({ token_address }) => token_address);
  expect(lower(held)).toEqual(expect.arrayContaining([...own]));
  const { unread, ...asked } = body.asked as Record<string, unknown>;
  // The own ones and the contract with approvals take the place of an id each.
  expect(asked).toMatchObject({ complete: false, token_ids: 2_000 - OWN - 1 });
  expect(lower(unread)).toEqual(junkBatches);
});

/** All pages of a list. */
async function walk(path: string): Promise<Record<string, unknown>[]> {
  const pages: Record<string, unknown>[] = [];
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)!.next as string | null) {
    const { status, headers, body } = await balance.ask(`${path}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect([status, body.message]).toEqual([200, undefined]);
    expect(headers.get('x-hindsight-units')).toBe('5');
    expect(headers.get('link')).toEqual(
      body.next === null ? null : expect.stringContaining(`cursor=${body.next as string}`),
    );
    pages.push(body);
  }
  return pages;
}

const ALLOWANCES = `/v1/eth-mainnet/allowance/list?owner=${WALLET}`;
const PORTFOLIO = `/v1/eth-mainnet/portfolio?holder=${WALLET}`;

it('allowance/list can be walked to its end: each approval once, at one block', async () => {
  const pages = await walk(ALLOWANCES);
  expect(pages.map(({ asked }) => asked)).toMatchObject([
    { complete: false, pairs: OWN + 500 },
    { complete: true, pairs: 1_600, cut: [] },
  ]);
  expect(new Set(pages.map(({ block_hash }) => block_hash)).size).toBe(1);
  const rows = pages.flatMap(({ allowances }) => allowances as { token_address: string; spender: string }[]);
  const pairs = rows.map(({ token_address, spender }) => `${token_address} ${spender}`.toLowerCase());
  const junk = Array.from({ length: 2_100 }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}`);
  expect(pairs.toSorted()).toEqual(
    [
      ...junk.map((spender) => `${junkApprovals!} ${spender}`),
      ...own.map((one) => `${one} ${UNUSED_ADDRESS.toLowerCase()}`),
    ].sort(),
  );
});

it('portfolio can be walked to its end: each contract and id is asked once', async () => {
  const pages = await walk(PORTFOLIO);
  const asked = pages.map((page) => page.asked as { complete: boolean; token_ids: number });
  expect(asked.map(({ complete }) => complete)).toEqual([false, true]);
  expect(asked.reduce((sum, { token_ids }) => sum + token_ids, 0)).toBe(JUNK_BATCHES * 500);
  const held = pages.flatMap(({ tokens }) =>
    (tokens as { token_address: string }[]).map((row) => row.token_address),
  );
  expect(lower(held)).toEqual([...new Set(lower(held))]);
  expect(lower(held)).toEqual(expect.arrayContaining([...own]));
  expect(new Set(pages.map(({ native_balance }) => native_balance)).size).toBe(1);
});

it('the pages of a portfolio as CSV have ether once', async () => {
  const { body } = await balance.ask(PORTFOLIO);
  const texts = await Promise.all(
    [PORTFOLIO, `${PORTFOLIO}&cursor=${String(body.next)}`].map(async (path) => {
      const answer = await fetch(balance.url + path, { headers: { accept: 'text/csv' } });
      return answer.text();
    }),
  );
  expect(texts.map((text) => text.split('\r\n').filter((line) => line.includes(',native,')).length)).toEqual([
    1, 0,
  ]);
});

it('a cursor continues its own question at its own block alone', async () => {
  const { body } = await balance.ask(ALLOWANCES);
  const cursor = `&cursor=${String(body.next)}`;
  const { checked_at_block: height, block_hash: hash } = body;
  const above = { ...readListCursor(String(body.next))!, from: Number(height) + 1 };
  const same = await balance.ask(`${ALLOWANCES}&block_height=${String(height)}${cursor}`);
  expect(same.body).toMatchObject({ block_hash: hash, next: null });
  for (const path of [
    `${ALLOWANCES.replace(WALLET, STRANGER)}${cursor}`,
    `${ALLOWANCES}&block_height=${Number(height) - 1}${cursor}`,
    `${PORTFOLIO}${cursor}`,
    `${ALLOWANCES}&cursor=${writeListCursor(above)}`,
  ])
    expect((await balance.ask(path)).body).toMatchObject({
      statusCode: 400,
      message: 'cursor: expected the next of an earlier answer to the same question, at the same block',
    });
  for (const text of ['', 'x', 'A'.repeat(401), String(body.next).slice(1)])
    expect((await balance.ask(`${ALLOWANCES}&cursor=${text}`)).body.statusCode).toBe(400);
});

it('a further page is of the first one’s block, also where a date after it means a newer one by then', async () => {
  const asked = `${PORTFOLIO}&date=2024-01-01`;
  const { body: first } = await balance.ask(asked);
  await mine(devchain.url);
  await until('the date means the new block', async () => {
    const { body } = await balance.ask('/v1/eth-mainnet/block?date=2024-01-01');
    return body.block_hash !== first.block_hash;
  });
  const { body } = await balance.ask(`${asked}&cursor=${String(first.next)}`);
  expect([body.message, body.block_hash]).toEqual([undefined, first.block_hash]);
});
