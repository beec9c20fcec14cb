import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { CHAIN } from '@hindsight/devchain/world.ts';
import type { Failover } from './failover.ts';
import { sendOne } from '../rpc/node.ts';
import {
  DEADLINE_MS,
  SLACK_MS,
  NEVER,
  ask,
  sleep,
  pairForEachTest,
} from '../../test/support/failover-pair.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';

const pair = pairForEachTest();

afterEach(() => void jest.restoreAllMocks());

describe('which node is asked', () => {
  it('the first, as long as it answers', async () => {
    const node = pair.open([pair.first, pair.second]);
    await pair.settle(node);
    const before = pair.second.requests;
    for (let at = 0; at < 5; at += 1) await ask(node);
    expect(pair.second.requests).toBe(before);
  });

  it('the next if the first is down; the first is then spared, and preferred again once it is back', async () => {
    const node = pair.open([pair.first, pair.second], { poll: { everyMs: 50, idleMs: NEVER } });
    await pair.settle(node);
    pair.first.behave({ kind: 'reset' });
    for (let at = 0; at < 5; at += 1) await ask(node);
    expect(node.health()[0]?.state).toMatch(/down|trial/);
    pair.first.behave(undefined);
    await until('the first is back', () => node.health()[0]?.state === 'ok');
    const before = pair.first.requests;
    await ask(node);
    expect(pair.first.requests).toBeGreaterThan(before);
    expect(pair.log).toContain('node is down');
    expect(pair.log).toContain('node is back');
  });

  it('the first as before, after questions whose answers were too large: they say nothing about a node', async () => {
    const circuit = { failures: 1, openMs: NEVER, maxOpenMs: NEVER };
    const node = pair.open([pair.first], { circuit });
    await ask(node);
    const large = node.send([{ method: 'eth_blockNumber', params: [] }], { maxBytes: 9 });
    await expect(large).rejects.toMatchObject({ kind: 'malformed', details: { tooLarge: true } });
    await ask(node);
    expect(node.health()).toMatchObject([{ state: 'ok' }]);
  });

  it('the first again once it is back, even if the machine’s clock is set back meanwhile', async () => {
    const node = pair.open([pair.first, pair.second], { poll: { everyMs: 50, idleMs: NEVER } });
    await pair.settle(node);
    pair.first.behave({ kind: 'reset' });
    for (let at = 0; at < 5; at += 1) await ask(node);
    const real = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000);
    pair.first.behave(undefined);
    await until('the first is back', () => node.health()[0]?.state === 'ok');
  });

  it('the next if the first hangs, in time', async () => {
    // Never spared: each question begins at the first.
    const circuit = { failures: NEVER, openMs: 1, maxOpenMs: 1 };
    const node = pair.open([pair.first, pair.second], { timeoutMs: DEADLINE_MS, circuit });
    pair.first.behave({ kind: 'hang' });
    let tookMs = Infinity;
    // On a busy machine the second may be late as well, which is an error.
    await untilItWorks('the second answers', async () => {
      const begun = performance.now();
      await ask(node);
      tookMs = performance.now() - begun;
    });
    expect(tookMs).toBeLessThan(DEADLINE_MS + SLACK_MS);
  });

  it('the next if the first has asked to be spared for a while', async () => {
    const node = pair.open([pair.first, pair.second]);
    await pair.settle(node);
    pair.first.behave({ kind: 'status', status: 429, headers: { 'retry-after': '30' } }, 1);
    await ask(node);
    const before = pair.first.requests;
    for (let at = 0; at < 5; at += 1) await ask(node);
    expect(pair.first.requests).toBe(before);
    expect(node.health()[0]).toMatchObject({ state: 'busy' });
  });

  it('a lagging node last', async () => {
    pair.first.behave({ distorts: true, kind: 'lag', blocks: 10 });
    const node = pair.open([pair.first, pair.second]);
    await pair.settle(node);
    // Shows it also where the first had told its head long before the second.
    await readLatest(node);
    expect(node.health()).toMatchObject([
      { state: 'lagging', head: CHAIN.head - 10, lag: 10 },
      { state: 'ok', head: CHAIN.head, lag: 0 },
    ]);
    const before = pair.first.requests;
    expect(await readLatest(node)).toBe(CHAIN.head);
    expect(pair.first.requests).toBe(before);
  });

  it('a lagging node if there is no other', async () => {
    pair.first.behave({ distorts: true, kind: 'lag', blocks: 10 });
    const node = pair.open([pair.first, pair.second]);
    await pair.settle(node);
    pair.second.behave({ kind: 'reset' });
    expect(await readLatest(node)).toBe(CHAIN.head - 10);
  });
});

describe('a node on another chain', () => {
  it('is not believed, is reported once, and does not affect a right one', async () => {
    pair.first.behave({ distorts: true, kind: 'wrong-chain', chainId: 5 });
    const node = pair.open([pair.first, pair.second]);
    for (let at = 0; at < 5; at += 1) await ask(node);
    expect(node.health()).toMatchObject([{ state: 'wrong-chain' }, { state: 'ok' }]);
    expect(pair.log.match(/is on chain 5, not on 1"/g)).toHaveLength(1);
  });

  it('is noticed even if it was on the right one before it went down', async () => {
    const circuit = { failures: 1, openMs: 1, maxOpenMs: 1 };
    const node = pair.open([pair.first], { timeoutMs: DEADLINE_MS, circuit });
    await ask(node);
    pair.first.behave({ kind: 'hang' });
    await expect(ask(node)).rejects.toMatchObject({ kind: 'timeout' });
    pair.first.behave({ distorts: true, kind: 'wrong-chain', chainId: 5 });
    await sleep(10);
    await expect(ask(node)).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('is asked for its chain in the same request as the first question', async () => {
    const node = pair.open([pair.first]);
    await ask(node);
    expect(pair.first.requests).toBe(1);
  });
});

describe('polling of heads', () => {
  it('stops when there are no more questions', async () => {
    const node = pair.open([pair.first, pair.second], { poll: { everyMs: 10, idleMs: 50 } });
    await pair.settle(node);
    await until('polling stops', hasStopped);
  });

  it('leaves the first question after a pause the nodes that were down before it', async () => {
    const circuit = { failures: 1, openMs: 1, maxOpenMs: 1 };
    const node = pair.open([pair.first, pair.second], { poll: { everyMs: 10, idleMs: 50 }, circuit });
    await pair.settle(node);
    for (const one of [pair.first, pair.second]) one.behave({ kind: 'reset' });
    await expect(ask(node)).rejects.toThrow();
    await until('polling stops', hasStopped);
    for (const one of [pair.first, pair.second]) one.behave(undefined);
    await expect(ask(node)).resolves.toBeDefined();
  });

  async function hasStopped(): Promise<boolean> {
    const requests = (): number => pair.first.requests + pair.second.requests;
    const before = requests();
    await sleep(200);
    return requests() === before;
  }
});

async function readLatest(node: Failover): Promise<number> {
  const block = (await sendOne(node, 'eth_getBlockByNumber', ['latest', false])) as { number: string };
  return Number(block.number);
}
