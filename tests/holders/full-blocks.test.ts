/** Blocks that a spammer filled with batches of an ERC-1155: more than a node answers at once, and than one page has rows. */
import { beforeAll, expect, it } from '@jest/globals';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine, sendAndMine } from '@hindsight/devchain/control.ts';
import { startDevchain } from '@hindsight/devchain/devchain.ts';
import { HOLDERS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runBalance } from '../../services/balance/test/support/run-balance.ts';
import { HolderWorld } from './support/holder-world.ts';

const SPAM = `0x${'7a'.repeat(20)}`;
/** As many as a transaction has gas for: 3.5 MB of a node's answer for each block. */
const IDS = 9_000;
const EVENTS = 3;
/** Of the first block, which alone is more than an answer about several may be; the other block has one. */
const TRANSACTIONS = 5;
/** The index has blocks once they are finalized: a page does not search them then. */
const FINALITY = 70;

const chain = forAllTests(startDevchain, 'stop');
const balance = forAllTests(() => runBalance(chain.url), 'stop');
const world = forAllTests(HolderWorld.onDevchain, 'close');
let app: HttpServer;

/** Code that names the wallet in events, each of a batch of as many ids, all zero. */
function spam(wallet: string): string {
  const push = (value: number): string => `62${value.toString(16).padStart(6, '0')}`;
  const list = 32 * (1 + IDS);
  const write = (value: number, at: number): string => `${push(value)}${push(at)}52`;
  const words = write(64, 0) + write(64 + list, 32) + write(IDS, 64) + write(IDS, 64 + list);
  const emit = `73${wallet.slice(2)}5f5f7f${TOPICS.batch.slice(2)}${push(64 + 2 * list)}5fa4`;
  return `0x${words}${emit.repeat(EVENTS)}00`;
}

beforeAll(async () => {
  await askNode(chain.url, 'anvil_setCode', SPAM, spam(UNUSED_ADDRESS));
  const spamming = { from: HOLDERS.alice, to: SPAM, data: '0x' };
  const one = { ...spamming, gas: '0xe4e1c0', gasPrice: '0x0' };
  await askNode(chain.url, 'evm_setBlockGasLimit', '0x10000000');
  for (let i = 1; i < TRANSACTIONS; i++) await askNode(chain.url, 'eth_sendTransaction', one);
  for (let i = 0; i < 2; i++) await sendAndMine(chain.url, spamming);
  for (let i = 0; i < FINALITY; i++) await mine(chain.url);
  app = await world.start({ nodeUrl: chain.url, balanceUrl: balance.url });
});

interface Page {
  readonly next: string | null;
  readonly transfers: readonly { readonly block: number; readonly log_index: number }[];
}

async function page(query: string): Promise<Page> {
  const { statusCode, payload } = await app.inject({ url: `/v1/eth-mainnet/transfers?${query}` });
  expect([statusCode, statusCode === 200 ? '' : payload]).toEqual([200, '']);
  return JSON.parse(payload) as Page;
}

it('are listed page by page', async () => {
  const places: string[] = [];
  let cursor = '';
  while (places.length <= IDS) {
    const { next, transfers } = await page(`token_address=${SPAM}&limit=1000${cursor}`);
    for (const { block, log_index: log } of transfers) places.push(`${block} ${log}`);
    cursor = `&cursor=${next!}`;
  }
  const counts = Object.values(Object.groupBy(places, (place) => place)).map((rows) => rows!.length);
  expect(counts).toEqual([IDS, 1_000]);
});

it('are listed of an account that they name, from a block that alone is more than an answer about several may be', async () => {
  expect((await page(`holder=${UNUSED_ADDRESS}&order=oldest&limit=9`)).transfers).toHaveLength(9);
});
