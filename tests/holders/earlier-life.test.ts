/** A token that was destroyed and made again at its address (CREATE2), of which the index has the second life alone. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine, sendAndMine } from '@hindsight/devchain/control.ts';
import { inProcessService } from '@hindsight/http/in-process-service.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runBalance, type RunningBalance } from '../../services/balance/test/support/run-balance.ts';
import { HolderWorld } from './support/holder-world.ts';

const HOLDER = `0x${'3c'.repeat(20)}`;
const STRANGER = `0x${'4d'.repeat(20)}`;
/** The token answers everything with 7, and in its second life with 9. It is first made with a transfer of 7 to the holder. */
const [CODE, SECOND_CODE] = ['60075f5260205ff3', '60095f5260205ff3'];
const TRANSFER = `60075f5273${HOLDER.slice(2)}5f7f${TOPICS.transfer.slice(2)}60205fa3`;
const INIT = `0x${TRANSFER}67${CODE}5f5260086018f3`;
/** Blocks between the lives, and those that make the second one final. */
const [BETWEEN, FINALITY] = [20, 80];

const world = forAllTests(HolderWorld.onDevchain, 'close');
let chain: Anvil;
/** It searches logs, and is asked by the index. */
let searching: RunningBalance;
let balance: RunningBalance;
let token: string;
let lives: readonly [first: number, second: number];

async function mineMany(blocks: number): Promise<void> {
  for (let i = 0; i < blocks; i++) await mine(chain.url);
}

async function setCode(code: string): Promise<void> {
  await askNode(chain.url, 'anvil_setCode', token, code);
  await mine(chain.url);
}

beforeAll(async () => {
  chain = await startEmptyChain();
  const made = await sendAndMine(chain.url, { from: STRANGER, data: INIT });
  token = made.contractAddress;
  await mineMany(BETWEEN);
  await setCode('0x');
  await mineMany(BETWEEN);
  const absentAt = Number(await askNode(chain.url, 'eth_blockNumber')) - 1;
  await setCode(`0x${SECOND_CODE}`);
  await mineMany(FINALITY);
  lives = [made.blockNumber, absentAt + 1];
  searching = await runBalance(chain.url);
  const index = await world.start({
    ...{ nodeUrl: chain.url, balanceUrl: searching.url },
    ...{ tracks: [token.toLowerCase()], from: lives[1] },
  });
  // The first question starts the walk, and waits for it.
  const path = `/v1/eth-mainnet/token/holders?token_address=${token}&order=balance&limit=1`;
  const { statusCode, payload } = await index.inject({ url: path });
  expect([statusCode, payload]).toEqual([200, expect.stringContaining('"complete":true')]);
  balance = await runBalance(chain.url, { holdersOf: () => inProcessService(() => index) });
});
afterAll(async () => {
  await balance.stop();
  await searching.stop();
  await chain.stop();
});

it.each([
  ['from before the first life', () => lives[0] - 1, 'logs', 'transfer'],
  ['from within it', () => lives[0] + 1, 'logs', 'state'],
  ['from after it', () => lives[1] - BETWEEN / 2, 'index', 'state'],
] as const)('changes %s are found by all events that there may be', async (_what, from, how, first) => {
  const to = lives[1] + 3;
  const question = `token_address=${token}&holder=${HOLDER}&from=${from()}&to=${to}`;
  const { status, body } = await balance.ask(`/v1/eth-mainnet/balance/changes?${question}`);
  expect([status, body.message]).toEqual([200, undefined]);
  expect(body.asked).toEqual({ how });
  expect((body.changes as { cause: string }[])[0]!.cause).toBe(first);
});
