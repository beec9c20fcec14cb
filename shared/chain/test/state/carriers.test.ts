/** Nodes that carry programs in their own ways, and change them: found out, said, and never a wrong answer. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Writable } from 'node:stream';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { amsterdamRules, ETH_MAINNET, TODAYS_RULES, type Network } from '../../src/networks.ts';
import { openNode } from '../../src/pool/open-node.ts';
import type { Failover } from '../../src/pool/failover.ts';
import { nodeReadiness } from '../../src/readiness.ts';
import { MARKER } from '../../src/rpc/program.ts';
import { ChainReader } from '../../src/state/reader.ts';
import { balanceOfCall, readUint } from '../../src/tokens/token-facts.ts';
import { asGeth, startCarrierNode, type CarrierNode, type Carrying } from '../support/carrier-node.ts';

const { ledger } = buildPlan();
const TOKEN = TOKENS.usdt.address;
const HEIGHT = CHAIN.head - 100;
const HOLDER_LIST = Object.values(HOLDERS);
const NO_OVERRIDE = { code: -32_602, message: 'too many arguments, want at most 2' };
const NOT_RETURNED = { code: -32_000, message: 'contract creation code storage out of gas' };
const stripped = (): object => ({ code: 3, message: 'execution reverted' });
const cutAt = (bytes: number) => (data: string) => asGeth(data.slice(0, 2 + 2 * bytes));
/** As anvil does. */
const repeating = (data: string): object => ({ ...asGeth(data), message: `execution reverted: ${data}` });
const foreign = () => asGeth(`0x08c379a0${'00'.repeat(96)}`);

let devchain: Devchain;
let nodes: CarrierNode[] = [];
let log = '';
let lifecycle: ReturnType<typeof createLifecycle>;
const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    log += chunk.toString();
    done();
  },
});
const logger = createLogger({ name: 'test', level: 'info', destination: sink });

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
});
afterAll(() => devchain.stop());
beforeEach(() => {
  log = '';
  lifecycle = createLifecycle(logger);
});
afterEach(async () => {
  await lifecycle.shutdown('end of test');
  await Promise.all(nodes.map((node) => node.close()));
  nodes = [];
});

async function open(
  ways: readonly Carrying[],
  network: Network = ETH_MAINNET,
): Promise<{ node: Failover; reader: ChainReader; carriers: readonly CarrierNode[] }> {
  const carriers = await Promise.all(ways.map((how) => startCarrierNode(devchain.url, how)));
  nodes.push(...carriers);
  const urls = carriers.map(({ url }) => url);
  const node = await openNode({ urls, timeoutMs: 60_000, probeMs: 60_000 }, network, { logger, lifecycle });
  const clock = { now: () => Date.now() };
  return { node, reader: new ChainReader({ node, network, clock }), carriers };
}

/** One question of a caller among others, and thousands of one caller. */
async function expectTruth(reader: ChainReader, many = 3_000): Promise<void> {
  const truth = (i: number): bigint => ledger.balanceAt(TOKEN, HOLDER_LIST[i % HOLDER_LIST.length]!, HEIGHT);
  const { block, results } = await reader.read(HEIGHT, [balanceOfCall(TOKEN, HOLDERS.alice)]);
  expect(readUint(results[0])).toBe(ledger.balanceAt(TOKEN, HOLDERS.alice, HEIGHT));
  const asked = Array.from({ length: many }, (_, i) => HOLDER_LIST[i % HOLDER_LIST.length]!);
  const outcomes = await reader.readMany(
    block,
    asked.map((holder) => [balanceOfCall(TOKEN, holder)]),
  );
  const found = outcomes.map((outcome) =>
    'error' in outcome ? outcome.error : readUint(outcome.results[0]),
  );
  expect(found).toEqual(asked.map((_, i) => truth(i)));
}

const carrierOf = (node: Failover, at = 0): string | undefined => node.health()[at]?.carriage?.carrier;
const answeredBy = (node: Failover): number | undefined => node.health()[0]?.carriage?.room?.answered;

describe('a node’s carrier', () => {
  it.each<[what: string, how: Carrying, carrier: string]>([
    ['as geth does', {}, 'revert'],
    ['without overrides', { overrides: NO_OVERRIDE }, 'revert'],
    [
      'with data as Parity words it',
      { reverts: (data) => ({ code: -32_015, message: 'VM execution error.', data: `Reverted ${data}` }) },
      'revert',
    ],
    [
      'with data in an object',
      {
        reverts: (data) => ({
          code: -32_603,
          message: 'Error',
          data: { message: 'reverted', txHash: `0x${'12'.repeat(32)}`, data },
        }),
      },
      'revert',
    ],
    [
      'with data in Ganache’s object',
      {
        reverts: (data) => ({
          code: -32_000,
          message: 'VM Exception while processing transaction: revert',
          data: { [`0x${'12'.repeat(32)}`]: { error: 'revert', return: data } },
        }),
      },
      'revert',
    ],
    ['with reverts’ data stripped', { reverts: stripped }, 'override'],
    ['with reverts’ data cut short', { reverts: cutAt(1_024) }, 'override'],
    ['with another program’s revert', { reverts: foreign }, 'override'],
    ['with data cut at what is returned', { reverts: cutAt(20_000), overrides: NO_OVERRIDE }, 'return'],
    ['with much of a revert', { reverts: cutAt(60_000), overrides: NO_OVERRIDE }, 'revert'],
    ['with a text that repeats a revert’s data', { reverts: repeating }, 'override'],
    ['so, and without overrides', { reverts: repeating, overrides: NO_OVERRIDE }, 'revert'],
    ['by code alone', { reverts: stripped, overrides: NO_OVERRIDE }, 'return'],
    ['by little code alone', { reverts: stripped, overrides: NO_OVERRIDE, maxReturned: 9_000 }, 'return'],
  ])('%s: found out, and all answers are true', async (_what, how, carrier) => {
    const { node, reader } = await open([how]);
    expect(carrierOf(node)).toBe(carrier);
    await expectTruth(reader);
    expect(carrierOf(node)).toBe(carrier);
    expect(log).toContain(`"carrier":"${carrier}"`);
    expect(await nodeReadiness(node).check()).toContain(`, carrier ${carrier}`);
  });

  it('has the room that was seen: one that cuts the data of reverts is asked for less', async () => {
    const { node, reader, carriers } = await open([{ reverts: cutAt(60_000), overrides: NO_OVERRIDE }]);
    expect(answeredBy(node)).toBe(47_200);
    const before = carriers[0]!.calls;
    await expectTruth(reader, 2_290);
    expect(carriers[0]!.calls - before).toBe(1 + 2);
  });

  it('takes 2,290 balances in a call where it has all room', async () => {
    const { reader, carriers } = await open([{ overrides: NO_OVERRIDE }]);
    const before = carriers[0]!.calls;
    await expectTruth(reader, 2_290);
    expect(carriers[0]!.calls - before).toBe(2);
  });
});

describe('a node that has none', () => {
  const NONE: Carrying = { reverts: stripped, overrides: NO_OVERRIDE, returns: NOT_RETURNED };

  it('is refused at the start, with the reasons and what to set', async () => {
    await expect(open([NONE])).rejects.toThrow(
      /can run no program: by revert: .*; by override: .*too many arguments.*; by return: .*storage out of gas.*gascap/,
    );
  });

  it('is passed over where another has one', async () => {
    const { node, reader } = await open([NONE, { overrides: NO_OVERRIDE }]);
    expect([carrierOf(node, 0), carrierOf(node, 1)]).toEqual(['none', 'revert']);
    await expectTruth(reader);
    expect(await nodeReadiness(node).check()).toMatch(/carrier none.*carrier revert/);
  });
});

describe('nodes of different carriers', () => {
  it('stand in for each other, each asked in its own way and for no more than it can', async () => {
    const ways = [{ overrides: NO_OVERRIDE }, { reverts: stripped, overrides: NO_OVERRIDE }];
    const { node, reader, carriers } = await open(ways);
    expect([carrierOf(node, 0), carrierOf(node, 1)]).toEqual(['revert', 'return']);
    await expectTruth(reader);
    // Its reverts now hold nothing, and it takes no code either.
    carriers[0]!.carry({ reverts: stripped, overrides: NO_OVERRIDE, returns: NOT_RETURNED });
    await expectTruth(reader);
    expect(carriers[1]!.calls).toBeGreaterThan(5);
  });
});

describe('a node that was changed', () => {
  it.each<[what: string, before: Carrying, after: Carrying, carrier: string]>([
    ['passes on reverts’ data no more', { overrides: NO_OVERRIDE }, { reverts: stripped }, 'override'],
    ['takes overrides no more', { reverts: stripped }, { overrides: NO_OVERRIDE }, 'revert'],
    [
      'has the fork',
      { reverts: stripped, overrides: NO_OVERRIDE },
      { overrides: NO_OVERRIDE, returns: NOT_RETURNED },
      'revert',
    ],
    [
      'cuts reverts’ data',
      { overrides: NO_OVERRIDE },
      { reverts: cutAt(60_000), overrides: NO_OVERRIDE },
      'revert',
    ],
    ['answers another program’s revert', { overrides: NO_OVERRIDE }, { reverts: foreign }, 'override'],
  ])(
    '%s: found out by the failure, asked again once, and all answers are true',
    async (_what, before, after, carrier) => {
      const time = Date.now();
      const { node, reader, carriers } = await open([before]);
      await expectTruth(reader);
      carriers[0]!.carry(after);
      jest.spyOn(Date, 'now').mockImplementation(() => time + 3_600_000);
      await expectTruth(reader);
      expect(carrierOf(node)).toBe(carrier);
      jest.restoreAllMocks();
    },
  );

  it('and has none now is asked no more than a bounded number of times', async () => {
    const { reader, carriers } = await open([{ overrides: NO_OVERRIDE }]);
    await expectTruth(reader);
    carriers[0]!.carry({ reverts: stripped, overrides: NO_OVERRIDE, returns: NOT_RETURNED });
    const before = carriers[0]!.calls;
    const question = [balanceOfCall(TOKEN, HOLDERS.alice)];
    for (let i = 0; i < 10; i++)
      await expect(reader.read(HEIGHT, question)).rejects.toMatchObject({ kind: 'refused' });
    expect(carriers[0]!.calls - before).toBeLessThanOrEqual(20);
  });
});

describe('a node that is wrong about its fork', () => {
  const FORKED: Network = { ...ETH_MAINNET, rules: [TODAYS_RULES, amsterdamRules(1)] };

  it('takes no more init code than before: sizes are what it was seen to take', async () => {
    const { node, reader } = await open([{ overrides: NO_OVERRIDE, maxInitCode: 49_152 }], FORKED);
    expect(node.health()[0]?.carriage?.room).toMatchObject({ taken: 49_152, answered: 94_400 });
    await expectTruth(reader);
  });

  it('answers with nothing but our head: not believed', async () => {
    const forged = () => asGeth(`0x${MARKER}00000040${'00'.repeat(52)}`);
    const { node, reader } = await open([{ reverts: forged }]);
    expect(carrierOf(node)).toBe('override');
    await expectTruth(reader);
  });
});
