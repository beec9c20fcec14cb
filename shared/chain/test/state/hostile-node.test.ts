import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import type { Ledger } from '@hindsight/devchain/ledger.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { Failover } from '../../src/pool/failover.ts';
import { carriedJsonRpc } from '../support/carried-json-rpc.ts';
import { NETWORKS } from '../../src/networks.ts';
import type { NodeErrorKind } from '../../src/rpc/node-error-kind.ts';
import { ChainReader, type Reading } from '../../src/state/reader.ts';
import { DEADLINE_MS, SLACK_MS, sleep } from '../support/failover-pair.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { startHostileNode, type HostileNode, type Misbehaviour } from '../support/hostile-node.ts';
import { balanceOfCall, readUint } from '../../src/tokens/token-facts.ts';

const HEIGHT = CHAIN.head - 100;
const MEBIBYTE = 1024 * 1024;
/** For cases about other faults than hanging: no machine is this slow. */
const PATIENCE_MS = 60_000;
const LIMITS = {
  circuit: { failures: 3, openMs: 50, maxOpenMs: 100 },
} as const;

let devchain: Devchain;
let ledger: Ledger;
let hostile: HostileNode;
let node: Failover;
let reader: ChainReader;

beforeAll(async () => {
  ledger = buildPlan().ledger;
  devchain = await sharedDevchain(process.env);
});
afterAll(() => devchain.stop());

/** As a service does: the node is probed before it misbehaves. */
async function open(timeoutMs: number): Promise<void> {
  const nodes = [carriedJsonRpc({ url: hostile.url })];
  await nodes[0]!.probe();
  node = new Failover({ nodes, chainId: 1, limits: { ...LIMITS, timeoutMs } });
  reader = new ChainReader({ node, network: NETWORKS.get('eth-mainnet')!, clock: systemClock });
}

async function reopen(timeoutMs: number): Promise<void> {
  await node.close();
  await open(timeoutMs);
}

beforeEach(async () => {
  hostile = await startHostileNode(devchain.url);
  await open(PATIENCE_MS);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await node.close();
  await until('all connections are closed', () => hostile.connections === 0);
  await hostile.close();
});

describe('a reader on a hostile node', () => {
  it.each<[name: string, how: Misbehaviour, kind: NodeErrorKind]>([
    ['429', { kind: 'status', status: 429 }, 'busy'],
    ['429 with Retry-After', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }, 'busy'],
    ['503', { kind: 'status', status: 503 }, 'busy'],
    ['402', { kind: 'status', status: 402 }, 'busy'],
    ['413', { kind: 'status', status: 413 }, 'refused'],
    ['500', { kind: 'status', status: 500 }, 'unreachable'],
    ['502 with a page', { kind: 'status', status: 502, body: '<html>Bad Gateway</html>' }, 'unreachable'],
    [
      'a redirect',
      { kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      'unreachable',
    ],
    ['a hang', { kind: 'hang' }, 'timeout'],
    ['a reset', { kind: 'reset' }, 'unreachable'],
    ['a slow drip', { kind: 'drip' }, 'timeout'],
    ['half an answer', { kind: 'truncated' }, 'unreachable'],
    ['wrong ids', { kind: 'wrong-id' }, 'malformed'],
    ['another chain', { distorts: true, kind: 'wrong-chain', chainId: 5 }, 'malformed'],
    ['one entry too few', { kind: 'missing-entry' }, 'malformed'],
    ['a sign-in page', { kind: 'html' }, 'malformed'],
    ['an answer of 100 MB', { kind: 'huge', bytes: 100 * MEBIBYTE, announced: true }, 'malformed'],
    ['100 MB unannounced', { kind: 'huge', bytes: 100 * MEBIBYTE, announced: false }, 'malformed'],
    ['a gzip bomb', { kind: 'zipped', body: gzipSync(Buffer.alloc(64 * MEBIBYTE, ' ')) }, 'malformed'],
    ['no block', { distorts: true, kind: 'null-block' }, 'unknown-block'],
    ['the state of another block', { distorts: true, kind: 'reorg', blocks: 1, pinned: true }, 'malformed'],
    ['pruned state', { distorts: true, kind: 'prune', floor: CHAIN.head, how: 'error' }, 'missing-state'],
    ['0x for pruned state', { distorts: true, kind: 'prune', floor: CHAIN.head, how: 'empty' }, 'malformed'],
    ['[] for pruned state', { distorts: true, kind: 'prune', floor: CHAIN.head, how: 'list' }, 'malformed'],
    ['an error', { distorts: true, kind: 'rpc-error', code: -32603, message: 'Internal error' }, 'refused'],
    [
      'its own timeout',
      {
        distorts: true,
        kind: 'rpc-error',
        code: -32000,
        message: 'execution aborted (timeout = 5s)',
        method: 'eth_call',
      },
      'timeout',
    ],
  ])(
    '%s: an error of the right kind within the deadline, and the truth once the node is right',
    async (_, how, kind) => {
      if (how.kind === 'hang' || how.kind === 'drip') await reopen(DEADLINE_MS);
      hostile.behave(how);
      const begun = performance.now();
      await expect(reader.read(HEIGHT, QUESTION)).rejects.toMatchObject({ name: 'NodeError', kind });
      expect(performance.now() - begun).toBeLessThan(DEADLINE_MS + SLACK_MS);

      hostile.behave(undefined);
      await expectTruthSoon();
    },
  );

  it.each<[name: string, how: Misbehaviour]>([
    ['a batch in another order', { kind: 'swapped' }],
    ['an answer that takes its time', { kind: 'slow', ms: DEADLINE_MS / 4 }],
    ['a reorganisation between header and call', { distorts: true, kind: 'reorg', blocks: 1, pinned: false }],
    ['a head that it does not have', { distorts: true, kind: 'boast', blocks: 1_000_000 }],
  ])('%s: the truth', async (_, how) => {
    hostile.behave(how);
    expectTrue(await reader.read(HEIGHT, QUESTION));
  });

  it('reads no column in the state of another block', async () => {
    const accounts = Object.values(HOLDERS).slice(0, 2);
    const column = { of: (holder: string) => balanceOfCall(TOKENS.uni.address, holder), accounts };
    const block = await reader.findBlock(HEIGHT);
    hostile.behave({ distorts: true, kind: 'reorg', blocks: 1, pinned: true });
    const error: unknown = expect.objectContaining({ name: 'NodeError', kind: 'malformed' });
    expect(await reader.readColumn(block, column)).toEqual(accounts.map(() => ({ error })));
  });

  it('answers about correctly named blocks while the head goes back', async () => {
    const first = await reader.read('latest', QUESTION);
    hostile.behave({ distorts: true, kind: 'lag', blocks: 7 });
    await sleep(600);
    const second = await reader.read('latest', QUESTION);
    expect(first.block.number - second.block.number).toBe(7);
    expectTrue(first);
    expectTrue(second);
  });

  it('does not call a known block "not yet there" after the head went back', async () => {
    await reader.read('latest', QUESTION);
    hostile.behave({ distorts: true, kind: 'lag', blocks: 7 });
    await expect(reader.read(CHAIN.head - 1, QUESTION)).rejects.toMatchObject({ kind: 'unknown-block' });
  });

  it.each([200, 400, 500])('reads a JSON-RPC error with HTTP %i as such', async (status) => {
    const error = { code: -32000, message: 'missing trie node 1234 (path )' };
    hostile.behave({ kind: 'status', status, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) });
    await expect(reader.read(HEIGHT, QUESTION)).rejects.toMatchObject({ kind: 'missing-state' });
  });

  it('does not believe results that come with HTTP 500', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, result: '0x1' });
    hostile.behave({ kind: 'status', status: 500, body });
    await expect(reader.read(HEIGHT, QUESTION)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('spares a node for as long as it asked', async () => {
    const real = performance.now.bind(performance);
    const begun = real();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(begun);
    hostile.behave({ kind: 'status', status: 429, headers: { 'retry-after': '8' } });
    await expect(reader.read(HEIGHT, QUESTION)).rejects.toMatchObject({ details: { retryAfterMs: 8_000 } });
    hostile.behave(undefined);
    const before = hostile.requests;
    await expect(reader.read(HEIGHT, QUESTION)).rejects.toMatchObject({ kind: 'busy' });
    expect(hostile.requests).toBe(before);
    clock.mockReturnValue(begun + 7_999);
    expect(node.health()).toMatchObject([{ state: 'busy' }]);
    clock.mockImplementation(() => real() + 8_000);
    await expectTruthSoon();
  });

  it('keeps no timers and no more connections than answers under way', async () => {
    await reopen(DEADLINE_MS);
    const timers = countTimers();
    hostile.behave({ kind: 'hang' });
    await expect(reader.read(HEIGHT, QUESTION)).rejects.toMatchObject({ kind: 'timeout' });
    await until('all connections are closed', () => hostile.connections === 0);
    hostile.behave(undefined);
    await expectTruthSoon();
    await node.close();
    await until('all connections are closed', () => hostile.connections === 0);
    await until('no timer is left', () => countTimers() <= timers);
  });
});

const QUESTION = [balanceOfCall(TOKENS.usdt.address, HOLDERS.alice)];

function expectTrue(reading: Reading): void {
  const held = readUint(reading.results[0]);
  expect(held).toBe(ledger.balanceAt(TOKENS.usdt.address, HOLDERS.alice, reading.block.number));
}

/** The node is used again within seconds of its return. */
async function expectTruthSoon(): Promise<void> {
  let reading: Reading | undefined;
  await until('the node answers again', async () => {
    reading = await reader.read(HEIGHT, QUESTION).catch(() => undefined);
    return reading !== undefined;
  });
  expect(reading!.block.number).toBe(HEIGHT);
  expectTrue(reading!);
}

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}
