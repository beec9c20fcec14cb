/** Changes of balances of unusual tokens: what their events say is counted once, and as what it is. */
import { expect, it } from '@jest/globals';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine, sendAndMine } from '@hindsight/devchain/control.ts';
import { HOLDERS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runOnOwnDevchain } from './support/on-devchain.ts';
import type { RunningBalance } from './support/run-balance.ts';

const WALLET = `0x${'3c'.repeat(20)}`;
const STRANGER = `0x${'4d'.repeat(20)}`;
const wallet = `73${WALLET.slice(2)}`;
/** Ends init code: the contract answers everything with 1,000. */
const ANSWERS_1000 = '686103e85f5260205ff35f5260096017f3';
const STORE_1000 = '6103e85f52';
const MINTED = `${wallet}5f7f${TOPICS.transfer.slice(2)}60205fa3`;
const FROM_STRANGER = `${wallet}73${STRANGER.slice(2)}7f${TOPICS.transfer.slice(2)}60205fa3`;
const DEPOSITED = `${wallet}7f${TOPICS.deposit.slice(2)}60205fa2`;
/** The value is a topic, as an ERC-721's id is. */
const MINTED_BY_TOPIC = `6103e8${wallet}5f7f${TOPICS.transfer.slice(2)}5f5fa4`;
const DEPOSITED_BY_TOPIC = `6103e8${wallet}7f${TOPICS.deposit.slice(2)}5f5fa3`;
/** The sender alone is a topic. */
const SENT_BY_DATA = `73${STRANGER.slice(2)}5f526103e8602052${wallet}7f${TOPICS.transfer.slice(2)}60405fa2`;

const balance = forAllTests(runOnOwnDevchain, 'stop');

/** Deploys a contract in a new block. */
async function deploy(code: string): Promise<{ address: string; block: number }> {
  const made = await sendAndMine(balance.devchain.url, { from: STRANGER, data: `0x${code}` });
  return { address: made.contractAddress, block: made.blockNumber };
}

const changesOf = (token: string, from: number, to: number): ReturnType<RunningBalance['ask']> =>
  balance.ask(
    `/v1/eth-mainnet/balance/changes?token_address=${token}&holder=${WALLET}&from=${from}&to=${to}`,
  );

it.each([
  ['a deposit that is also a transfer from nothing', MINTED + DEPOSITED, '0'],
  ['a deposit beside a transfer of the same amount from a stranger', FROM_STRANGER + DEPOSITED, '-1000'],
  ['two deposits, of which one is also a transfer', MINTED + DEPOSITED + DEPOSITED, '-1000'],
  ['a deposit alone', DEPOSITED, '0'],
  ['a transfer whose value is a topic', MINTED_BY_TOPIC, '0'],
  ['a deposit whose value is a topic', DEPOSITED_BY_TOPIC, '0'],
  ['a transfer whose receiver is none', SENT_BY_DATA, '2000'],
])('%s explains what it says', async (_what, events, unexplained) => {
  const { address, block } = await deploy(STORE_1000 + events + ANSWERS_1000);
  const { status, body } = await changesOf(address, block - 1, block);
  expect([status, body.message]).toEqual([200, undefined]);
  expect(body.changes).toMatchObject([{ block, cause: 'transfer', balance_after: '1000', unexplained }]);
});

it('a token that is broken at the last block has its changes before', async () => {
  const { address, block } = await deploy(STORE_1000 + MINTED + ANSWERS_1000);
  await mine(balance.devchain.url);
  // A proxy without an implementation.
  await askNode(balance.devchain.url, 'anvil_setCode', address, '0x00');
  await mine(balance.devchain.url);
  const { status, body } = await changesOf(address, block - 1, block + 2);
  expect([status, body.message]).toEqual([200, undefined]);
  expect(body.token_type).toBe('erc20');
  expect(body.changes).toMatchObject([
    { block, balance_before: '0', balance_after: '1000' },
    { balance_before: '1000', balance_after: null },
  ]);
});

it('events of a balance that the token refuses to tell are changes of an unknown amount', async () => {
  const answers = `${wallet}60043514602557${'6103e85f5260205ff3'}5b5f5ffd`;
  const events = STORE_1000 + MINTED;
  const begin = (events.length / 2 + 9).toString(16);
  const { address, block } = await deploy(`${events}60298060${begin}5f395ff3${answers}`);
  const { status, body } = await changesOf(address, block - 1, block);
  expect([status, body.message]).toEqual([200, undefined]);
  const unknown = { balance_before: '0', balance_after: null, unexplained: null };
  expect(body.changes).toMatchObject([{ block, cause: 'transfer', ...unknown }]);
});

it('a contract that never was a token is none', async () => {
  const { address, block } = await deploy(`${STORE_1000}${MINTED}60015ff3`);
  const { status, body } = await changesOf(address, block - 1, block);
  expect([status, body.code]).toEqual([404, 'not_a_token']);
});

it('a list of a wallet goes on after the end of a token, which its later pages name as the first one does', async () => {
  const { url } = balance.devchain;
  const { address, block } = await deploy(STORE_1000 + MINTED + ANSWERS_1000);
  await mine(url);
  // The contract destroys itself.
  await askNode(url, 'anvil_setCode', address, '0x');
  await mine(url);
  for (let i = 0; i < 2; i++) {
    const payment = { from: HOLDERS.alice, to: WALLET, value: '0x1', gas: '0x5208', gasPrice: '0x0' };
    await askNode(url, 'eth_sendTransaction', payment);
    await mine(url);
  }
  const to = Number(await askNode(url, 'eth_blockNumber'));
  const asked = `holder=${WALLET}&from=${block - 1}&to=${to}&limit=1`;
  const pages: Record<string, unknown>[] = [];
  for (let next: unknown; next !== null; next = pages.at(-1)!.next) {
    const cursor = next === undefined ? '' : `&cursor=${next as string}`;
    const path = `/v1/eth-mainnet/wallet/changes?token_address=native,${address}&${asked}${cursor}`;
    const { status, body } = await balance.ask(path);
    expect([pages.length, status, body.message]).toEqual([pages.length, 200, undefined]);
    pages.push(body);
  }
  const changes = pages.flatMap(
    (page) => page.changes as { balance_before: string; balance_after: string }[],
  );
  expect(changes.map(({ balance_before: before, balance_after: after }) => [before, after])).toEqual([
    ['0', '1000'],
    ['1000', '0'],
    ['0', '1'],
    ['1', '2'],
  ]);
  for (const { tokens } of pages)
    expect(tokens).toMatchObject([{ token_type: 'native' }, { token_type: 'erc20' }]);
});
