import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, HOLDERS, NOBODY, TOKENS } from '@hindsight/devchain/world.ts';
import { createLogger } from '../logger.ts';
import { createFailover, type Failover, type FailoverLimits } from './failover.ts';
import { createJsonRpcNode } from './json-rpc.ts';
import { resultOf, sendOne, type RpcCall } from './node.ts';
import { startHostileNode, type HostileNode } from './testing/hostile-node.ts';

const DEADLINE_MS = 400;
/** What a busy machine may take beyond the deadline. */
const SLACK_MS = 200;
const KEY = 'a-key-that-nobody-may-see';
const NEVER = 1_000_000;

let devchain: Devchain;
let first: HostileNode;
let second: HostileNode;
let opened: Failover[];
let log: string;

beforeAll(async () => {
  devchain = await startDevchain();
});
afterAll(() => devchain.stop());

beforeEach(async () => {
  opened = [];
  log = '';
  [first, second] = await Promise.all([startHostileNode(devchain.url), startHostileNode(devchain.url)]);
});
afterEach(async () => {
  await Promise.all(opened.map((node) => node.close()));
  await Promise.all([first.close(), second.close()]);
});

describe('which node is asked', () => {
  it('the first, as long as it answers', async () => {
    const node = open([first, second]);
    await settled(node);
    const before = second.requests;
    for (let at = 0; at < 5; at += 1) await ask(node);
    expect(second.requests).toBe(before);
  });

  it('the next, where the first is down; the first is then left alone, and preferred again once it is back', async () => {
    const node = open([first, second], { poll: { everyMs: 50, idleMs: NEVER } });
    await settled(node);
    first.behave({ kind: 'reset' });
    for (let at = 0; at < 5; at += 1) await ask(node);
    expect(node.health()[0]?.state).toMatch(/down|trial/);
    first.behave(undefined);
    await until(() => node.health()[0]?.state === 'ok');
    const before = first.requests;
    await ask(node);
    expect(first.requests).toBeGreaterThan(before);
    expect(log).toContain('node is down');
    expect(log).toContain('node is back');
  });

  it('the next, where the first hangs, in time', async () => {
    const node = open([first, second]);
    first.behave({ kind: 'hang' });
    const begun = performance.now();
    await ask(node);
    expect(performance.now() - begun).toBeLessThan(DEADLINE_MS + SLACK_MS);
  });

  it('the next, where the first asked to be left alone for a while', async () => {
    const node = open([first, second]);
    await settled(node);
    first.behave({ kind: 'status', status: 429, headers: { 'retry-after': '30' } }, 1);
    await ask(node);
    const before = first.requests;
    for (let at = 0; at < 5; at += 1) await ask(node);
    expect(first.requests).toBe(before);
    expect(node.health()[0]).toMatchObject({ state: 'busy' });
  });

  it('one that is behind last', async () => {
    first.behave({ distorts: true, kind: 'lag', blocks: 10 });
    const node = open([first, second]);
    await settled(node);
    expect(node.health()).toMatchObject([
      { state: 'lagging', head: CHAIN.head - 10, lag: 10 },
      { state: 'ok', head: CHAIN.head, lag: 0 },
    ]);
    const before = first.requests;
    expect(await readLatest(node)).toBe(CHAIN.head);
    expect(first.requests).toBe(before);
  });

  it('one that is behind, where there is no other', async () => {
    first.behave({ distorts: true, kind: 'lag', blocks: 10 });
    const node = open([first, second]);
    await settled(node);
    second.behave({ kind: 'reset' });
    expect(await readLatest(node)).toBe(CHAIN.head - 10);
  });

  it('the second as well where the first is slow and hedging is on', async () => {
    const node = open([first, second], { hedgeAfterMs: 20, timeoutMs: 2_000 });
    await settled(node);
    first.behave({ kind: 'slow', ms: 1_000 });
    const begun = performance.now();
    await ask(node);
    expect(performance.now() - begun).toBeLessThan(500);
    await until(() => first.underWay === 0);
  });
});

describe('a node on another chain', () => {
  it('is not believed, is reported once, and does no harm beside a right one', async () => {
    first.behave({ distorts: true, kind: 'wrong-chain', chainId: 5 });
    const node = open([first, second]);
    for (let at = 0; at < 5; at += 1) await ask(node);
    expect(node.health()).toMatchObject([{ state: 'wrong-chain' }, { state: 'ok' }]);
    expect(log.match(/is on chain 5, not on 1"/g)).toHaveLength(1);
  });

  it('is noticed also where it was on the right one before it went down', async () => {
    const node = open([first], { circuit: { failures: 1, openMs: 1, maxOpenMs: 1 } });
    await ask(node);
    first.behave({ kind: 'hang' });
    await expect(ask(node)).rejects.toMatchObject({ kind: 'timeout' });
    first.behave({ distorts: true, kind: 'wrong-chain', chainId: 5 });
    await sleep(10);
    await expect(ask(node)).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('is asked for its chain in the same request as the first question', async () => {
    const node = open([first]);
    await ask(node);
    expect(first.requests).toBe(1);
  });
});

describe('what a node says', () => {
  const old: RpcCall = { method: 'eth_getBalance', params: [HOLDERS.alice, hex(CHAIN.head - 50)] };
  const pruned = { distorts: true, kind: 'prune', floor: CHAIN.head, how: 'error' } as const;

  it('about a state that it does not have sends us to the next', async () => {
    first.behave(pruned);
    const [outcome] = await open([first, second]).send([old]);
    expect(resultOf(outcome)).toMatch(/^0x/);
  });

  it('is the error itself where no node has the state', async () => {
    first.behave(pruned);
    second.behave(pruned);
    const [outcome] = await open([first, second]).send([old]);
    expect(outcome).toMatchObject({ error: { kind: 'missing-state' } });
  });

  it('about missing state is not the last word while a node that may have it is down', async () => {
    first.behave(pruned);
    second.behave({ kind: 'reset' });
    await expect(open([first, second]).send([old])).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('about a block that it does not know sends us to the next', async () => {
    first.behave({ distorts: true, kind: 'null-block' });
    const node = open([first, second]);
    expect(await sendOne(node, 'eth_getBlockByNumber', [hex(CHAIN.head), false])).not.toBeNull();
  });

  it('is null where no node knows a block above every head', async () => {
    const node = open([first, second]);
    await settled(node);
    expect(await sendOne(node, 'eth_getBlockByNumber', [hex(CHAIN.head + 1), false])).toBeNull();
  });

  it('about a block below a head that we know of is not "not yet"', async () => {
    first.behave({ distorts: true, kind: 'lag', blocks: 10 });
    const node = open([first, second]);
    await settled(node);
    second.behave({ distorts: true, kind: 'lag', blocks: 10 });
    const asked = node.send([{ method: 'eth_getBlockByNumber', params: [hex(CHAIN.head - 1), false] }]);
    expect(await asked).toMatchObject([{ error: { kind: 'unknown-block' } }]);
  });

  it('about a revert is an answer: no other node is asked', async () => {
    const node = open([first, second]);
    await settled(node);
    const before = second.requests;
    const transfer = `0xa9059cbb${NOBODY.slice(2).padStart(64, '0')}${'f'.repeat(64)}`;
    const call = { from: NOBODY, to: TOKENS.uni.address, data: transfer };
    const [outcome] = await node.send([{ method: 'eth_call', params: [call, 'latest'] }]);
    expect(outcome).toMatchObject({ error: { kind: 'reverted' } });
    expect(second.requests).toBe(before);
  });

  it('never brings a key into an error or the health', async () => {
    const text = { code: -32000, message: `bad key ${KEY} for https://node.example/v2/${KEY}` };
    first.behave({
      kind: 'status',
      status: 401,
      body: JSON.stringify({ jsonrpc: '2.0', id: null, error: text }),
    });
    const node = open([first]);
    const error = await ask(node).catch((reason: unknown) => reason as Error);
    expect(
      JSON.stringify([(error as Error).message, (error as Error).stack, node.health(), log]),
    ).not.toContain(KEY);
    expect(node.health()[0]?.lastError).toContain('bad key [redacted]');
  });
});

describe('load', () => {
  it('is bounded for each node: some wait in line, the rest are told when to come back', async () => {
    const node = open([first], { gate: { concurrency: 2, queue: 3 } });
    await ask(node);
    first.behave({ kind: 'slow', ms: 50 });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => ask(node)));
    const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(failures).toHaveLength(3);
    for (const failure of failures) {
      expect(failure).toMatchObject({ kind: 'busy', details: { retryAfterMs: 1_000 } });
    }
    expect(first.mostAtOnce).toBe(2);
    await ask(node);
  });

  it('of those in line is dropped with the deadline', async () => {
    const node = open([first], { gate: { concurrency: 1, queue: 10 } });
    await ask(node);
    first.behave({ kind: 'hang' });
    const begun = performance.now();
    await Promise.allSettled(Array.from({ length: 5 }, () => ask(node)));
    expect(performance.now() - begun).toBeLessThan(DEADLINE_MS + SLACK_MS);
  });

  it('goes to the next node where the line of the first is full', async () => {
    const node = open([first, second], { gate: { concurrency: 2, queue: 0 } });
    await settled(node);
    first.behave({ kind: 'slow', ms: 50 });
    await Promise.all(Array.from({ length: 4 }, () => ask(node)));
  });

  it('is not multiplied by retries in a bad time', async () => {
    const limits = {
      retry: { reserve: 3, perQuestion: 0.1 },
      circuit: { failures: NEVER, openMs: 1, maxOpenMs: 1 },
    };
    const node = open([first, second], limits);
    await settled(node);
    first.behave({ kind: 'reset' });
    second.behave({ kind: 'reset' });
    const before = first.requests + second.requests;
    for (let at = 0; at < 20; at += 1) await expect(ask(node)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(first.requests + second.requests - before).toBeLessThanOrEqual(20 + 3 + 2);
  });

  it('is asked of the only node once more where its connection broke', async () => {
    const node = open([first]);
    await ask(node);
    first.behave({ kind: 'reset' }, 1);
    await ask(node);
  });

  it('that the caller gives up is dropped, and is no failure of the node', async () => {
    const node = open([first], { circuit: { failures: 1, openMs: NEVER, maxOpenMs: NEVER } });
    await ask(node);
    first.behave({ kind: 'hang' });
    const reason = new Error('the client has gone');
    const controller = new AbortController();
    const asked = node.send([BLOCK_NUMBER], { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    await expect(asked).rejects.toBe(reason);
    expect(node.health()).toMatchObject([{ state: 'ok' }]);
    await until(() => first.underWay === 0);
  });
});

describe('polling of heads', () => {
  it('stops when nobody asks any more', async () => {
    const node = open([first, second], { poll: { everyMs: 10, idleMs: 50 } });
    await settled(node);
    await sleep(150);
    const before = first.requests + second.requests;
    await sleep(100);
    expect(first.requests + second.requests).toBe(before);
  });
});

const BLOCK_NUMBER: RpcCall = { method: 'eth_blockNumber', params: [] };

function open(hostiles: readonly HostileNode[], limits: Partial<FailoverLimits> = {}): Failover {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log += chunk.toString();
      done();
    },
  });
  const node = createFailover({
    nodes: hostiles.map(({ url }) => createJsonRpcNode({ url: `${url}/v2/${KEY}` })),
    chainId: 1,
    logger: createLogger({ name: 'test', level: 'info', destination }),
    limits: {
      timeoutMs: DEADLINE_MS,
      circuit: { failures: 3, openMs: 50, maxOpenMs: 100 },
      poll: { everyMs: NEVER, idleMs: NEVER },
      ...limits,
    },
  });
  opened.push(node);
  return node;
}

function ask(node: Failover): Promise<unknown> {
  return sendOne(node, 'eth_getBalance', [HOLDERS.alice, hex(CHAIN.head - 5)]);
}

async function readLatest(node: Failover): Promise<number> {
  const block = (await sendOne(node, 'eth_getBlockByNumber', ['latest', false])) as { number: string };
  return Number(block.number);
}

/** Asked once, and every head is known. */
async function settled(node: Failover): Promise<void> {
  await ask(node);
  await until(() => node.health().every(({ head }) => head !== undefined));
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 3_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('it did not come to that in time');
    await sleep(5);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
