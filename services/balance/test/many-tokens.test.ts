/** A wallet with a thousand tokens and approvals. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startAlteredNode, type AlteredNode } from '@hindsight/chain/test/support/altered-node.ts';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const TOKENS = 1_000;
const AT_ONCE = 200;
const WALLET = `0x${'1a'.repeat(20)}`;
const MAKER = `0x${'2b'.repeat(20)}`;
const UPSTREAM_REQUESTS = 10;

/** Init code of a token that sends WALLET one and emits its approval of UNUSED_ADDRESS; it answers everything with 7. */
const token = [
  '6007600052',
  `73${WALLET.slice(2)}5f7f${TOPICS.transfer.slice(2)}60206000a3`,
  `73${UNUSED_ADDRESS.slice(2)}73${WALLET.slice(2)}7f${TOPICS.approval.slice(2)}60206000a3`,
  '69600760005260206000f3600052600a6016f3',
].join('');
const size = (token.length / 2).toString(16);
const times = AT_ONCE.toString(16).padStart(4, '0');
/** Init code that makes many of them. */
const factory = `0x60${size}60195f3961${times}5b60${size}5f5ff050600190038060095700${token}`;

let devchain: Devchain;
let node: AlteredNode;
let balance: RunningBalance;

beforeAll(async () => {
  devchain = await startDevchain();
  for (let made = 0; made < TOKENS; made += AT_ONCE) {
    const transaction = { from: MAKER, data: factory, gas: '0xe4e1c0', gasPrice: '0x0' };
    await askNode(devchain.url, 'eth_sendTransaction', transaction);
    await mine(devchain.url);
  }
  node = await startAlteredNode(devchain.url);
  balance = await runBalance(node.url);
  // Warms up a process's one-time requests.
  await balance.ask(`/v1/eth-mainnet/portfolio?holder=${UNUSED_ADDRESS}`);
});
afterAll(async () => {
  await balance.stop();
  await node.close();
  await devchain.stop();
});

it.each([
  ['portfolio', `holder=${WALLET}`, 'tokens', { balance: '7' }],
  ['allowance/list', `owner=${WALLET}`, 'allowances', { allowance: '7', spender: UNUSED_ADDRESS }],
])('%s is complete, in few requests to the node', async (path, query, field, row) => {
  const before = node.requests;
  const { status, body } = await balance.ask(`/v1/eth-mainnet/${path}?${query}`);
  expect([status, body.message]).toEqual([200, undefined]);
  const rows = body[field] as { token_address: string }[];
  expect(new Set(rows.map(({ token_address }) => token_address)).size).toBe(TOKENS);
  for (const one of rows) expect(one).toMatchObject(row);
  expect(body.asked).toMatchObject({ complete: true, unread: [] });
  expect(node.requests - before).toBeLessThanOrEqual(UPSTREAM_REQUESTS);
});
