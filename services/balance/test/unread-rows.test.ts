/** Contracts that cannot be read, or are of no clear standard: nothing of them is silently left out of a wallet's lists. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine, sendAndMine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { getAddress } from 'ethers';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const WALLET = `0x${'3c'.repeat(20)}`;
/** Named by many contracts, all of which fail. */
const CROWDED = `0x${'5e'.repeat(20)}`;
const MANY = 20;
const STRANGER = `0x${'4d'.repeat(20)}`;

const TOTAL_SUPPLY = '18160ddd';
const BALANCE_OF = '70a08231';
const BALANCE_OF_ID = '00fdd58e';
const ALLOWANCE = 'dd62ed3e';
const IS_OPERATOR = 'e985e9c5';

const RETURN_SEVEN = '60075f5260205ff3';

/** Runtime code that answers these functions with 7, and reverts for all others. */
function answeringOnly(selectors: readonly string[]): string {
  const at = (5 + 11 * selectors.length + 3).toString(16).padStart(4, '0');
  const branches = selectors.map((selector) => `8063${selector}1461${at}57`).join('');
  return `0x5f3560e01c${branches}5f5ffd5b${RETURN_SEVEN}`;
}

/**
 * Runtime code at the block of the question. All of them have named the wallet in each kind of event before.
 */
const CODE = {
  paused: answeringOnly([TOTAL_SUPPLY]),
  // A proxy without an implementation returns nothing.
  hollow: '0x00',
  // Looks like an ERC-20 without its handshake of ERC-165.
  nftWithoutInterface: answeringOnly([TOTAL_SUPPLY, BALANCE_OF, IS_OPERATOR]),
  nftWithoutSupply: answeringOnly([BALANCE_OF, IS_OPERATOR]),
  itemsWithoutInterface: answeringOnly([BALANCE_OF_ID, IS_OPERATOR]),
  erc20WithoutSupply: answeringOnly([BALANCE_OF, ALLOWANCE]),
  // Uses up whatever gas it gets.
  boundless: '0x5b5f56',
  destroyed: '0x',
  empty: '0x5f5f5260205ff3',
} as const;
type Name = keyof typeof CODE;

const spender = `73${UNUSED_ADDRESS.slice(2)}`;
/** Init code that names a wallet in each kind of event. */
function naming(named: string): string {
  const wallet = `73${named.slice(2)}`;
  return [
    '60075f52',
    `${wallet}5f7f${TOPICS.transfer.slice(2)}60205fa3`,
    `${wallet}5f5f7f${TOPICS.single.slice(2)}60405fa4`,
    `${spender}${wallet}7f${TOPICS.approval.slice(2)}60205fa3`,
    `${spender}${wallet}7f${TOPICS.approvalForAll.slice(2)}60205fa3`,
    '60015ff3',
  ].join('');
}

let devchain: Devchain;
let balance: RunningBalance;
const names = new Map<string, Name>();

/** Makes a contract that has named a wallet. @returns its address */
async function deploy(named: string, code: string): Promise<string> {
  const transaction = { from: STRANGER, data: `0x${naming(named)}` };
  const { contractAddress } = await sendAndMine(devchain.url, transaction);
  await askNode(devchain.url, 'anvil_setCode', contractAddress, code);
  return contractAddress;
}

/** Mines as many blocks as make those before them final. */
async function mineMany(): Promise<void> {
  await mine(devchain.url);
  await askNode(devchain.url, 'anvil_mine', '0x64', '0xc');
}

beforeAll(async () => {
  devchain = await startDevchain();
  for (const name of Object.keys(CODE) as Name[])
    names.set(getAddress(await deploy(WALLET, CODE[name])), name);
  for (let i = 0; i < MANY; i++) await deploy(CROWDED, CODE.paused);
  await mineMany();
  balance = await runBalance(devchain.url);
});
afterAll(async () => {
  await balance.stop();
  await devchain.stop();
});

const nameOf = (address: string): Name => names.get(address)!;

it('portfolio names them in asked.unread, each with its reason', async () => {
  const { status, body } = await balance.ask(`/v1/eth-mainnet/portfolio?holder=${WALLET}`);
  expect([status, body.message]).toEqual([200, undefined]);
  const { unread, unread_reasons: reasons } = body.asked as {
    unread: string[];
    unread_reasons: Record<string, string>;
  };
  expect(unread.map(nameOf).sort()).toEqual(Object.keys(reasons).map(nameOf).sort());
  expect(Object.fromEntries(Object.entries(reasons).map(([at, reason]) => [nameOf(at), reason]))).toEqual({
    paused: 'no_answer',
    hollow: 'no_answer',
    nftWithoutSupply: 'unclear_standard',
    itemsWithoutInterface: 'unclear_standard',
    erc20WithoutSupply: 'unclear_standard',
    boundless: 'too_costly',
  });
  const held = body.tokens as { token_address: string; token_type: string; balance: string }[];
  expect(held.map(({ token_address, balance: units }) => [nameOf(token_address), units])).toEqual([
    ['nftWithoutInterface', '7'],
  ]);
});

it('says of what was never asked alone that it was not asked', async () => {
  const { body } = await balance.ask(`/v1/eth-mainnet/portfolio?holder=${CROWDED}`);
  const { unread_reasons: reasons } = body.asked as { unread_reasons: Record<string, string> };
  const given = Object.values(reasons);
  expect(given).toHaveLength(MANY);
  expect(new Set(given)).toEqual(new Set(['no_answer', 'not_asked']));
});

it('allowance/list names them in asked.unread, each with its reason', async () => {
  const { status, body } = await balance.ask(`/v1/eth-mainnet/allowance/list?owner=${WALLET}`);
  expect([status, body.message]).toEqual([200, undefined]);
  const { unread } = body.asked as {
    unread: { token_address: string; spender: string; reason: string }[];
  };
  expect(new Set(unread.map(({ spender }) => spender))).toEqual(new Set([UNUSED_ADDRESS]));
  expect(unread).toHaveLength(7);
  expect(
    Object.fromEntries(unread.map(({ token_address, reason }) => [nameOf(token_address), reason])),
  ).toEqual({
    paused: 'no_answer',
    hollow: 'no_answer',
    nftWithoutInterface: 'unclear_standard',
    nftWithoutSupply: 'unclear_standard',
    itemsWithoutInterface: 'unclear_standard',
    erc20WithoutSupply: 'unclear_standard',
    boundless: 'too_costly',
  });
  expect(body.allowances).toEqual([]);
});

it('are not taken for tokens that a wallet did not hold', async () => {
  const { status, body } = await balance.ask(
    `/v1/eth-mainnet/wallet/changes?holder=${WALLET}&from=${CHAIN.head}`,
  );
  expect([status, body.message]).toEqual([200, undefined]);
  expect(body.chosen).toMatchObject({ left_out: [], complete: false });
});

it.each([
  ['portfolio', 'block_height='],
  ['wallet/changes', `from=${CHAIN.head}&to=`],
])('do not keep a final answer of %s from being kept', async (path, when) => {
  const question = `${path}?holder=${WALLET}&${when}${CHAIN.head + names.size}`;
  const { status, headers } = await fetch(`${balance.url}/v1/eth-mainnet/${question}`);
  expect([status, headers.get('cache-control')]).toEqual([200, expect.stringContaining('immutable')]);
});

it.each([
  ['portfolio', 'holder', 'balance', 6],
  ['allowance/list', 'owner', 'allowance', 7],
])('are rows of the CSV of %s, without a number and with the reason', async (path, who, amount, count) => {
  const url = `${balance.url}/v1/eth-mainnet/${path}?${who}=${WALLET}`;
  const answer = await fetch(url, { headers: { accept: 'text/csv' } });
  const [header = [], ...rows] = (await answer.text())
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  const at = (row: readonly string[], column: string): string | undefined => row[header.indexOf(column)];
  const unread = rows.filter((row) => at(row, 'unread') !== '');
  expect(unread).toHaveLength(count);
  expect(new Set(unread.map((row) => at(row, amount)))).toEqual(new Set(['']));
  const reasons = unread.map((row) => [nameOf(at(row, 'token_address')!), at(row, 'unread')]);
  expect(reasons).toContainEqual(['paused', 'no_answer']);
});
