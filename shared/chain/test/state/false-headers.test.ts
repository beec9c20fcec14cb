/** A node that is wrong about one header, once: conclusions from it must not outlast the question. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock as clock } from '@hindsight/kernel/clock.ts';
import { DateSearch } from '../../src/dates/date-search.ts';
import { carriedJsonRpc } from '../support/carried-json-rpc.ts';
import { KnownBlocks } from '../../src/state/known-blocks.ts';
import { ETH_MAINNET } from '../../src/networks.ts';
import type { EthereumNode } from '../../src/rpc/node.ts';
import { ChainReader, type Reading } from '../../src/state/reader.ts';
import { readAllHeaders, type Headers } from '../support/all-headers.ts';
import { startHostileNode, type HostileNode } from '../support/hostile-node.ts';
import { balanceOfCall, readUint } from '../../src/tokens/token-facts.ts';

/** Final, as the dev chain's node says of all but the last 64 blocks. */
const HEIGHT = CHAIN.head - 100;
const QUESTION = [balanceOfCall(TOKENS.usdt.address, HOLDERS.alice)];
const NO_HASH = `0x${'bad'.repeat(21)}0`;
const { ledger } = buildPlan();

let devchain: Devchain;
let headers: Headers;
let hostile: HostileNode;
let node: EthereumNode;
let known: KnownBlocks;
let reader: ChainReader;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  headers = await readAllHeaders(devchain.url);
});
afterAll(() => devchain.stop());
beforeEach(async () => {
  hostile = await startHostileNode(devchain.url);
  node = carriedJsonRpc({ url: hostile.url, timeoutMs: 60_000 });
  known = new KnownBlocks(clock);
  reader = new ChainReader({ node, network: ETH_MAINNET, clock, known });
});
afterEach(async () => {
  await node.close();
  await hostile.close();
});

function lieAbout(height: number, fields: Record<string, string>): void {
  hostile.behave({ distorts: true, kind: 'false-header', fields, height });
}

function expectTrue(reading: Reading): void {
  const { number, hash, timestamp } = reading.block;
  expect({ hash, timestamp }).toEqual(headers.get(number));
  expect(reading.finalized).toBe(true);
  const held = readUint(reading.results[0]);
  expect(held).toBe(ledger.balanceAt(TOKENS.usdt.address, HOLDERS.alice, number));
}

const timeOf = (height: number): number => headers.get(height)!.timestamp;
const quantity = (value: number): string => `0x${value.toString(16)}`;

describe('a false header at a finalized height', () => {
  it.each([
    ['a hash that no block has', () => NO_HASH],
    ['the hash of another block', () => headers.get(HEIGHT - 7)!.hash],
  ])('with %s is forgotten by the next question, which gets the truth', async (_what, hash) => {
    lieAbout(HEIGHT, { hash: hash() });
    await reader.read(HEIGHT, QUESTION);
    hostile.behave(undefined);
    const next = await Promise.all([1, 2, 3].map(() => reader.read(HEIGHT, QUESTION)));
    for (const reading of next) expectTrue(reading);
    expectTrue(await reader.read(HEIGHT, QUESTION));
  });

  it.each([
    ['parent', () => ({ parentHash: NO_HASH })],
    ['time', () => ({ timestamp: quantity(timeOf(HEIGHT) + 1) })],
  ])('with another %s is an error, and nothing of it is kept', async (_what, fields) => {
    lieAbout(HEIGHT, fields());
    await expect(reader.read(HEIGHT, QUESTION)).rejects.toMatchObject({ kind: 'malformed' });
    expect(known.find(HEIGHT)).toBeUndefined();
    hostile.behave(undefined);
    expectTrue(await reader.read(HEIGHT, QUESTION));
  });
});

describe('a false time in a search for a date', () => {
  it('is not used again once the block itself has shown its time', async () => {
    const dates = new DateSearch({ node, clock, known });
    const date = timeOf(HEIGHT) + 2;
    expect(date).toBeLessThan(timeOf(HEIGHT + 1));
    lieAbout(HEIGHT, { timestamp: quantity(timeOf(HEIGHT) + 1) });
    const found = await dates.findBlockAt(date);
    await expect(reader.read(found, QUESTION)).rejects.toMatchObject({ kind: 'malformed' });
    hostile.behave(undefined);
    expectTrue(await reader.read(await dates.findBlockAt(date), QUESTION));
    expectTrue(await reader.read(await dates.findBlockAt(date - 1), QUESTION));
  });

  it('of the first block is not kept either', async () => {
    const dates = new DateSearch({ node, clock, known });
    const date = timeOf(CHAIN.genesis);
    lieAbout(CHAIN.genesis, { hash: NO_HASH });
    await expect(dates.findBlockAt(date)).rejects.toMatchObject({ kind: 'malformed' });
    hostile.behave(undefined);
    expect(await dates.findBlockAt(date)).toMatchObject({ number: CHAIN.genesis });
  });
});
