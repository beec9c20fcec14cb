/** Places for files that are made: each is given back, and nothing is begun for a request that is over. */
import { beforeEach, expect, it } from '@jest/globals';
import { createHttpServer } from '@hindsight/http/server.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { ALL_TOKENS } from '../domain/tracks.ts';
import type { BalanceApi } from '../ports.ts';
import { BalanceQuestions } from './balance-answers.ts';
import { addHoldersExport } from './holders-export.ts';
import type { ServedHolders } from './indexed-question.ts';

const HEIGHT = 18_000_000;
const HASH = `0x${'b'.repeat(64)}`;
const TOKEN = `0x${'1'.repeat(40)}`;
const HOLDER = `0x${'2'.repeat(40)}`;
const URL = `/v1/eth-mainnet/token/holders/export?token_address=${TOKEN}`;

const facts = { network_name: 'eth-mainnet', chain_id: 1, checked_at_block: HEIGHT, block_hash: HASH };
const snapshot = [
  { record: 'facts', ...facts, tokens: [{ token_address: TOKEN, token_type: 'erc20' }] },
  { record: 'balance', holder: HOLDER, balance: '5' },
  { record: 'end' },
];
const block = { block_number: HEIGHT, block_hash: HASH, parent_hash: HASH, date: '2023-09-01T00:00:00Z' };

/** The balance service, of which everything holds 5. */
const api: BalanceApi = {
  async ask({ path }) {
    if (fails && !/snapshot|\/block\?/.test(path)) throw new Error('the supply cannot be read');
    const records = path.includes('snapshot')
      ? snapshot
      : [path.includes('/block?') ? block : { total_supply: '5' }];
    return { status: 200, body: [records.map((record) => `${JSON.stringify(record)}\n`).join('')] } as never;
  },
};

let network: ServedHolders;
let begun: number;
let removed: number;
/** The balance service does not tell the supply. */
let fails: boolean;
let holders: () => AsyncIterable<readonly string[]>;
beforeEach(() => {
  [begun, removed, fails] = [0, 0, false];
  holders = async function* () {
    yield [HOLDER];
  };
  const index = {
    positions: async () => [{ from: 0, number: HEIGHT, hash: HASH }],
    holders: () => holders(),
    async *toParquet({ parts }: { readonly parts: AsyncIterable<unknown> }) {
      begun += 1;
      try {
        for await (const _part of parts);
        yield Buffer.from('PAR1');
      } finally {
        removed += 1;
      }
    },
  };
  network = {
    index,
    balances: new BalanceQuestions(api, 'eth-mainnet'),
    chain: { has: async () => true },
    tracks: [ALL_TOKENS],
    ready: async () => undefined,
  } as unknown as ServedHolders;
});

/** Asks for more files in turn than may be made at a time. */
async function askInTurn(deadlineMs: number): Promise<readonly number[]> {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const app = createHttpServer({ logger, lifecycle: createLifecycle(logger) });
  addHoldersExport(app, new Map([['eth-mainnet', network]]), deadlineMs);
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) {
    statuses.push((await app.inject({ method: 'POST', url: URL })).statusCode);
    await new Promise(setImmediate);
  }
  await app.close();
  return statuses;
}

it('a place is free again once a file is sent', async () => {
  expect(await askInTurn(60_000)).toEqual([200, 200, 200]);
  expect([begun, removed]).toEqual([3, 3]);
});

it('nothing is left of a file that cannot be answered with', async () => {
  fails = true;
  expect(await askInTurn(60_000)).toEqual([500, 500, 500]);
  expect([begun, removed]).toEqual([3, 3]);
});

it('a place is free again after the deadline, and no file is begun after it', async () => {
  const late = Promise.withResolvers<readonly string[]>();
  holders = async function* () {
    yield await late.promise;
  };
  expect(await askInTurn(5)).toEqual([504, 504, 504]);
  late.resolve([HOLDER]);
  await new Promise(setImmediate);
  expect(begun).toBe(0);
});
