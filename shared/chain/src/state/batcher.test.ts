import { describe, expect, it } from '@jest/globals';
import type { Block } from './block.ts';
import { Batcher } from './batcher.ts';
import type { CallOutcome, PinnedCall } from './pinned-state.ts';
import { NodeError } from '../rpc/node-error.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { MulticallItem, MulticallResult } from './multicall/multicall.ts';

const block = (number: number): Block => ({
  number,
  hash: `0x${number}`,
  parentHash: `0x${number - 1}`,
  timestamp: number,
});
const item = (target: string, gas = 1_000_000): MulticallItem => ({
  kind: 'call',
  target,
  data: '0x',
  gas,
  maxBytes: 32,
});

interface AskedCall {
  readonly block: number;
  readonly targets: readonly string[];
}

const targetOf = (item: MulticallItem): string => ('target' in item ? item.target : '');

/** Answers each item with its target; a request is answered when the test says so. */
class Asked {
  readonly requests: { calls: AskedCall[]; answer: () => void; fail: (error: Error) => void }[] = [];

  readonly ask = (calls: readonly PinnedCall[]): Promise<readonly CallOutcome[]> =>
    new Promise((resolve, reject) => {
      const outcomes = calls.map(({ items }) => ({
        results: items.map((item) => ({
          status: 'ok' as const,
          size: 0,
          gasUsed: 0,
          data: Buffer.from(targetOf(item)),
        })),
      }));
      const asked = calls.map(({ block, items }) => ({
        block: block.number,
        targets: items.map(targetOf),
      }));
      this.requests.push({ calls: asked, answer: () => resolve(outcomes), fail: reject });
    });

  readonly room = () => ({ taken: 48_000, returned: 90_000, gas: 50_000_000 });

  /** The targets of every call so far, whichever request it went in. */
  get calls(): (readonly string[])[] {
    return this.requests.flatMap(({ calls }) => calls.map(({ targets }) => targets));
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const named = (results: readonly MulticallResult[]): string[] =>
  results.map((r) => (r as { data: Buffer }).data.toString());

describe('a call that a node refuses', () => {
  const refused = { error: new NodeError('refused', 'too large') };
  /** Refuses what more than one target shares, or `bad` is in. */
  const picky = (asked: (readonly string[])[]) => ({
    room: () => ({ taken: 48_000, returned: 90_000, gas: 50_000_000 }),
    async ask(calls: readonly PinnedCall[]): Promise<readonly CallOutcome[]> {
      return calls.map(({ items }) => {
        const targets = items.map(targetOf);
        asked.push(targets);
        if (targets.length > 1 || targets[0] === 'bad') return refused;
        return { results: [{ status: 'ok', size: 0, gasUsed: 0, data: Buffer.from(targets[0]!) }] };
      });
    },
  });

  it('is asked once more, each question by a call of its own, and fails only those that fail alone', async () => {
    const asked: (readonly string[])[] = [];
    const batcher = new Batcher(picky(asked));
    const targets = ['a', 'b', 'c', 'bad', 'e'];
    const outcomes = await Promise.allSettled(targets.map((target) => batcher.ask(block(1), [item(target)])));
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? named(one.value)[0] : 'refused'))).toEqual([
      'a',
      'b',
      'c',
      'refused',
      'e',
    ]);
    expect(asked).toEqual([['a'], ['b'], ['c', 'bad', 'e'], ['c'], ['bad'], ['e']]);
  });
});

describe('questions about one block', () => {
  it('are sent at once while little is under way', () => {
    const asked = new Asked();
    const batcher = new Batcher(asked);
    void batcher.ask(block(1), [item('a')]);
    void batcher.ask(block(1), [item('b')]);
    expect(asked.calls).toEqual([['a'], ['b']]);
  });

  it('gather while calls are under way, are sent together, and each get their own answer', async () => {
    const asked = new Asked();
    const batcher = new Batcher(asked);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const answers = names.map((name) => batcher.ask(block(1), [item(name), item(`${name}2`)]));
    expect(asked.requests).toHaveLength(2);
    asked.requests[0]!.answer();
    await settled();
    expect(asked.calls[2]).toEqual(['c', 'c2', 'd', 'd2', 'e', 'e2']);
    asked.requests[1]!.answer();
    asked.requests[2]!.answer();
    expect((await Promise.all(answers)).map(named)).toEqual(names.map((name) => [name, `${name}2`]));
  });

  it('share a call only if their gas caps fit into it', async () => {
    const asked = new Asked();
    const batcher = new Batcher(asked);
    void batcher.ask(block(1), [item('a')]);
    void batcher.ask(block(1), [item('b')]);
    for (const name of ['c', 'd', 'e']) void batcher.ask(block(1), [item(name, 10_000_000)]);
    void batcher.ask(block(1), [item('alone', 25_000_000)]);
    void batcher.ask(block(1), [item('f')]);
    for (let i = 0; i < 5; i++) {
      asked.requests[i]!.answer();
      await settled();
    }
    expect(asked.calls.slice(2)).toEqual([['c', 'd'], ['e'], ['alone'], ['f']]);
  });

  it('fail together, and later ones are asked again', async () => {
    const asked = new Asked();
    const batcher = new Batcher(asked);
    const first = batcher.ask(block(1), [item('a')]);
    asked.requests[0]!.fail(new Error('the node is unavailable'));
    await expect(first).rejects.toThrow('the node is unavailable');
    const second = batcher.ask(block(1), [item('b')]);
    asked.requests[1]!.answer();
    expect(named(await second)).toEqual(['b']);
  });
});

describe('questions about different blocks', () => {
  const MAX_REQUESTS = 6;
  const MAX_AT_ALL = 48;

  it('never wait for each other while little is under way', () => {
    const asked = new Asked();
    const batcher = new Batcher(asked);
    for (const number of [1, 2, 3, 4, 5]) void batcher.ask(block(number), [item('a')]);
    expect(asked.requests.map(({ calls }) => calls.map((call) => call.block))).toEqual([
      [1],
      [2],
      [3],
      [4],
      [5],
    ]);
  });

  it('travel in one request, each with its own answer, when much is under way', async () => {
    const asked = new Asked();
    const batcher = new Batcher(asked);
    for (let i = 1; i <= MAX_REQUESTS; i++) void batcher.ask(block(i), [item('first')]);
    const later = [101, 102, 103].map((number) => batcher.ask(block(number), [item(`of ${number}`)]));
    expect(asked.requests).toHaveLength(MAX_REQUESTS);
    asked.requests[0]!.answer();
    await settled();
    expect(asked.requests[MAX_REQUESTS]!.calls.map((call) => call.block)).toEqual([101, 102, 103]);
    asked.requests[MAX_REQUESTS]!.answer();
    expect((await Promise.all(later)).map(named)).toEqual([['of 101'], ['of 102'], ['of 103']]);
  });

  it('do not wait for a distant node: they are sent after a moment, as many as are allowed', async () => {
    const asked = new Asked();
    const batcher = new Batcher(asked);
    for (let i = 1; i <= MAX_REQUESTS; i++) void batcher.ask(block(i), [item('first')]);
    for (const number of [101, 102, 103]) void batcher.ask(block(number), [item('a')]);
    await until('the calls are sent', () => asked.requests.length > MAX_REQUESTS);
    expect(asked.requests[MAX_REQUESTS]!.calls.map((call) => call.block)).toEqual([101, 102, 103]);
    for (let i = MAX_REQUESTS + 1; i < MAX_AT_ALL; i++) {
      void batcher.ask(block(200 + i), [item('a')]);
      await until('the next call is sent', () => asked.requests.length > i);
    }
    void batcher.ask(block(300), [item('last')]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(asked.requests).toHaveLength(MAX_AT_ALL);
  });

  it('do not travel with one that must go alone', async () => {
    const asked = new Asked();
    const batcher = new Batcher(asked);
    for (let i = 1; i <= MAX_REQUESTS; i++) void batcher.ask(block(i), [item('first')]);
    void batcher.ask(block(101), [item('a')]);
    void batcher.ask(block(102), [item('alone', 25_000_000)]);
    void batcher.ask(block(103), [item('b')]);
    asked.requests[0]!.answer();
    asked.requests[1]!.answer();
    await settled();
    const sent = asked.requests.slice(MAX_REQUESTS).map(({ calls }) => calls.map((call) => call.block));
    expect(sent).toEqual([[101, 103], [102]]);
  });
});

describe('questions that wait', () => {
  const MAX_WAITING = 8_192;

  it('are bounded: beyond some thousands one is refused at once as busy, until there is room again', async () => {
    const asked = new Asked();
    const batcher = new Batcher(asked);
    const outcomes = { answered: 0, busy: 0 };
    const ask = (number: number): Promise<void> =>
      batcher.ask(block(number), [item('a')]).then(
        () => void (outcomes.answered += 1),
        (error: unknown) => {
          expect(error).toMatchObject({ kind: 'busy', details: { retryAfterMs: 1_000 } });
          outcomes.busy += 1;
        },
      );
    // Two calls are under way, and the rest waits.
    const all = Array.from({ length: MAX_WAITING + 2 }, () => ask(1));
    await settled();
    expect(outcomes).toEqual({ answered: 0, busy: 0 });
    all.push(ask(1), ask(1));
    await settled();
    expect(outcomes).toEqual({ answered: 0, busy: 2 });
    asked.requests[0]!.answer();
    await settled();
    // One call's worth has left the queue.
    all.push(ask(1));
    await settled();
    expect(outcomes).toEqual({ answered: 1, busy: 2 });
    for (let i = 1; i < asked.requests.length; i++) {
      asked.requests[i]!.answer();
      await settled();
    }
    await Promise.all(all);
    expect(outcomes).toEqual({ answered: MAX_WAITING + 3, busy: 2 });
  });

  it('free their room once they are abandoned', async () => {
    const asked = new Asked();
    const batcher = new Batcher(asked);
    const gone = new AbortController();
    for (let i = 0; i < 2; i++) void batcher.ask(block(1), [item('under way')]);
    const failures = Array.from({ length: MAX_WAITING }, () =>
      batcher.ask(block(1), [item('abandoned')], gone.signal).catch((error: unknown) => error),
    );
    gone.abort(new Error('the client has gone'));
    asked.requests[0]!.answer();
    expect(new Set(await Promise.all(failures))).toEqual(new Set([gone.signal.reason]));
    const answers = Array.from({ length: MAX_WAITING }, () => batcher.ask(block(1), [item('a')]));
    for (let i = 1; i < asked.requests.length; i++) {
      asked.requests[i]!.answer();
      await settled();
    }
    expect(await Promise.all(answers)).toHaveLength(MAX_WAITING);
    expect(asked.calls.flat()).not.toContain('abandoned');
  });
});
