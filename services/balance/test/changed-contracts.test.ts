/** Contracts that change within the range of a question: what is seen of one of them is not said of the other. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const TOKEN = `0x${'5a'.repeat(20)}`;
const HOLDER = `0x${'3c'.repeat(20)}`;
/** Code that reverts, and code that answers with 7 unless a contract calls. */
const [REVERTS, REFUSES_CONTRACTS] = ['0x5f5ffd', '0x33600c5760075f5260205ff35b5f5ffd'];
/** Blocks with each; more than are asked alone before the others of their kind are given up. */
const EACH = 48;

let chain: Anvil;
let balance: RunningBalance;
let range: { readonly from: number; readonly to: number; readonly step: number };

beforeAll(async () => {
  chain = await startEmptyChain();
  for (const code of [REVERTS, REFUSES_CONTRACTS]) {
    await askNode(chain.url, 'anvil_setCode', TOKEN, code);
    await askNode(chain.url, 'anvil_mine', `0x${EACH.toString(16)}`, '0xc');
  }
  const to = Number(await askNode(chain.url, 'eth_blockNumber'));
  range = { from: to - 2 * EACH + 2, to, step: 1 };
  balance = await runBalance(chain.url);
  await mine(chain.url);
});
afterAll(async () => {
  await balance.stop();
  await chain.stop();
});

/** Of each point, by what is there last. */
async function lastOf(answer: ReturnType<RunningBalance['ask']>): Promise<readonly object[]> {
  const { status, body } = await answer;
  expect([status, body.message]).toEqual([200, undefined]);
  const points = body.points as object[];
  expect(points).toHaveLength(2 * EACH - 1);
  return points.slice(EACH);
}

it('a series has the balances of a contract that refuses contracts as callers, after another', async () => {
  const query = new URLSearchParams({ token_address: TOKEN, holder: HOLDER });
  for (const [name, value] of Object.entries(range)) query.set(name, String(value));
  const points = await lastOf(balance.ask(`/v1/eth-mainnet/balance/series?${query.toString()}`));
  expect(points).toEqual(points.map(() => expect.objectContaining({ balance: '7' })));
});

it('a series of calls has its answers', async () => {
  const asked = { target: TOKEN, function: 'balanceOf(address) returns (uint256)', args: [HOLDER], ...range };
  const points = await lastOf(balance.ask('/v1/eth-mainnet/call/series', asked));
  expect(points).toEqual(points.map(() => expect.objectContaining({ values: ['7'] })));
});
