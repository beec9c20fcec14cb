import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, CONTRACTS, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { moduleOf, PROGRAMS } from '../../../scripts/compile-yul.ts';
import { TODAYS_RULES } from '../../networks.ts';
import { createJsonRpcNode } from '../../rpc/json-rpc.ts';
import { sendOne, type EthereumNode } from '../../rpc/node.ts';
import { OVERRIDE, RETURN, REVERT, type Carrier } from './carriers/carrier.ts';
import {
  decodeMulticall,
  multicall,
  type MulticallAnswer,
  type CallItem,
  type MulticallItem,
} from './multicall.ts';

let devchain: Devchain;
let node: EthereumNode;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  node = createJsonRpcNode({ url: devchain.url, timeoutMs: 60_000 });
});

afterAll(async () => {
  await node.close();
  await devchain.stop();
});

/** Answers by one carrier. */
type Run = (items: readonly MulticallItem[], height?: number, gas?: number) => Promise<MulticallAnswer>;

const runBy =
  (carrier: Carrier): Run =>
  async (items, height = CHAIN.head, gas) => {
    const { run, params } = multicall(items, `0x${height.toString(16)}`);
    const [call, ...others] = carrier.params(run!, params[1], TODAYS_RULES);
    const bounded = gas === undefined ? call : { ...(call as object), gas: `0x${gas.toString(16)}` };
    const [outcome] = await node.send([{ method: 'eth_call', params: [bounded, ...others] }]);
    return decodeMulticall(carrier.answerIn(outcome!), items);
  };

/** For which a few hundred balances are too many; what is returned as code has a price. */
const LITTLE_GAS = { return: 3_000_000, revert: 900_000, override: 700_000 };
/** The first is Alice. */
const accounts = (count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    i === 0 ? HOLDERS.alice : `0x${i.toString(16).padStart(40, '1')}`,
  );
const SYMBOL = '0x95d89b41';
const DECIMALS = '0x313ce567';
const call = (target: string, data: string, more: Partial<CallItem> = {}): CallItem => ({
  kind: 'call',
  target,
  data,
  gas: 100_000,
  maxBytes: 96,
  ...more,
});

it('is what its source compiles to', async () => {
  expect(await readFile(PROGRAMS.multicall.module, 'utf8')).toBe(moduleOf(PROGRAMS.multicall));
});

describe.each([REVERT, OVERRIDE, RETURN])('the multicall by $name', (carrier) => {
  const run = runBy(carrier);

  it('says in which block it ran', async () => {
    const header = (await sendOne(node, 'eth_getBlockByNumber', ['0x112a880', false])) as Record<
      string,
      string
    >;
    expect(await run([], 18_000_000)).toEqual({
      gas: expect.any(Number),
      number: 18_000_000,
      timestamp: Number(header.timestamp),
      parentHash: header.parentHash,
      results: [],
    });
  });

  it('answers many questions of many contracts in order', async () => {
    const { results } = await run([
      call(TOKENS.usdc.address, DECIMALS),
      { kind: 'account', target: HOLDERS.alice },
      call(TOKENS.usdc.address, SYMBOL),
      { kind: 'account', target: TOKENS.usdc.address },
    ]);
    const wei = BigInt((await sendOne(node, 'eth_getBalance', [HOLDERS.alice, 'latest'])) as string);
    expect(results[0]).toMatchObject({
      status: 'ok',
      size: 32,
      data: Buffer.from('6'.padStart(64, '0'), 'hex'),
    });
    expect(results[1]).toEqual({ status: 'account', wei, codeSize: 0 });
    expect(results[2]).toMatchObject({ status: 'ok', size: 96 });
    expect((results[2] as { data: Buffer }).data.toString()).toContain('USDC');
    expect(results[3]).toMatchObject({ status: 'account', codeSize: expect.any(Number) });
    expect((results[3] as { codeSize: number }).codeSize).toBeGreaterThan(0);
  });

  it('gives each call its own gas, so that one that burns it all does no harm to others', async () => {
    const { results } = await run([
      call(CONTRACTS.gasBurner, SYMBOL, { gas: 1_000_000 }),
      call(CONTRACTS.huge, SYMBOL, { gas: 10_000_000 }),
      call(TOKENS.usdc.address, DECIMALS),
    ]);
    expect(results[0]).toMatchObject({ status: 'failed', size: 0 });
    expect((results[0] as { gasUsed: number }).gasUsed).toBeGreaterThan(900_000);
    expect(results[2]).toMatchObject({ status: 'ok', size: 32 });
  });

  it('takes of a huge answer only what is wanted, and gives its size', async () => {
    const { results } = await run([call(CONTRACTS.huge, SYMBOL, { gas: 10_000_000, maxBytes: 64 })]);
    expect(results[0]).toMatchObject({ status: 'ok', size: 1024 * 1024 });
    expect((results[0] as { data: Buffer }).data).toHaveLength(64);
  });

  it('says so when the gas left is less than a call’s share, and does not try', async () => {
    const items = [
      call(TOKENS.usdc.address, DECIMALS),
      call(TOKENS.usdc.address, DECIMALS, { gas: 5_000_000 }),
    ];
    const { results } = await run(items, CHAIN.head, 3_000_000);
    expect(results.map(({ status }) => status)).toEqual(['ok', 'starved']);
  });

  it('tries a call with what gas there is where it may, and believes only a success', async () => {
    const orLess = { gas: 25_000_000, orLess: true };
    const { gas, results } = await run(
      [call(TOKENS.usdc.address, DECIMALS, orLess), call(CONTRACTS.gasBurner, SYMBOL, orLess)],
      CHAIN.head,
      3_000_000,
    );
    expect(gas).toBeGreaterThan(2_500_000);
    expect(gas).toBeLessThan(3_000_000);
    expect(results.map(({ status }) => status)).toEqual(['ok', 'starved']);
  });

  it('says an account’s wei without its code, and starves rather than run out of gas for its answer', async () => {
    const items = accounts(500).map((target) => ({ kind: 'wei', target }) as const);
    const wei = BigInt((await sendOne(node, 'eth_getBalance', [HOLDERS.alice, 'latest'])) as string);
    const { results } = await run(items, CHAIN.head, LITTLE_GAS[carrier.name]);
    expect(results[0]).toEqual({ status: 'wei', wei });
    expect(results.at(-1)).toMatchObject({ status: 'starved', size: 0 });
    const whole = accounts(300).map((target) => ({ kind: 'account', target }) as const);
    const mixed = (await run(whole, CHAIN.head, LITTLE_GAS[carrier.name])).results;
    expect(new Set(mixed.map(({ status }) => status))).toEqual(new Set(['account', 'starved']));
  });

  it('calls the address that the call before returned', async () => {
    const node = '0x787192fc5378cc32aa956ddfdedbf26b24e8d78e40109add0eea2c1a012c3dec'; // namehash of alice.eth
    const resolverOf = call(CONTRACTS.ensRegistry, `0x0178b8bf${node.slice(2)}`, { maxBytes: 32 });
    const addr = call(CONTRACTS.ensRegistry, `0x3b3b57de${node.slice(2)}`, {
      maxBytes: 32,
      targetFromPrevious: true,
    });
    const { results } = await run([resolverOf, addr]);
    expect((results[1] as { data: Buffer }).data.toString('hex', 12)).toBe(
      HOLDERS.alice.slice(2).toLowerCase(),
    );
    const alone = await run([addr]);
    expect(alone.results[0]).toMatchObject({ status: 'ok', size: 0 });
  });

  it('refuses an answer that is not one to its questions', () => {
    const items = [call(TOKENS.usdc.address, DECIMALS)];
    for (const answer of [
      '0x',
      '0x00',
      null,
      7,
      `0x${'00'.repeat(96)}`,
      `0x${'00'.repeat(300)}`,
      'nonsense',
    ]) {
      expect(() => decodeMulticall(answer, items)).toThrow(TypeError);
    }
  });
});
