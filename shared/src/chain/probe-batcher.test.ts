import { describe, expect, it } from '@jest/globals';
import type { Block } from './block.ts';
import { ProbeBatcher } from './probe-batcher.ts';
import type { ProbeItem, ProbeResult } from './probe/probe.ts';

const block = (number: number): Block => ({
  number,
  hash: `0x${number}`,
  parentHash: `0x${number - 1}`,
  timestamp: number,
});
const item = (target: string, gas = 1_000_000): ProbeItem => ({
  kind: 'call',
  target,
  data: '0x',
  gas,
  maxBytes: 32,
});

/** Answers each item with its target; a call is answered when the test says so. */
class Asked {
  readonly calls: { block: number; targets: string[]; answer: () => void; fail: (error: Error) => void }[] =
    [];

  readonly ask = (at: Block, items: readonly ProbeItem[]): Promise<readonly ProbeResult[]> =>
    new Promise((resolve, reject) => {
      const results = items.map(({ target }) => ({
        status: 'ok' as const,
        size: 0,
        gasUsed: 0,
        data: Buffer.from(target),
      }));
      const targets = items.map(({ target }) => target);
      this.calls.push({ block: at.number, targets, answer: () => resolve(results), fail: reject });
    });
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const named = (results: readonly ProbeResult[]): string[] =>
  results.map((r) => (r as { data: Buffer }).data.toString());

describe('questions about one block', () => {
  it('leave at once while little is under way', () => {
    const asked = new Asked();
    const batcher = new ProbeBatcher(asked.ask);
    void batcher.ask(block(1), [item('a')]);
    void batcher.ask(block(1), [item('b')]);
    expect(asked.calls.map(({ targets }) => targets)).toEqual([['a'], ['b']]);
  });

  it('gather while calls are under way, leave together, and get each its own answer', async () => {
    const asked = new Asked();
    const batcher = new ProbeBatcher(asked.ask);
    const answers = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      batcher.ask(block(1), [item(name), item(`${name}2`)]),
    );
    expect(asked.calls).toHaveLength(2);
    asked.calls[0]!.answer();
    await settled();
    expect(asked.calls[2]!.targets).toEqual(['c', 'c2', 'd', 'd2', 'e', 'e2']);
    asked.calls[1]!.answer();
    asked.calls[2]!.answer();
    expect((await Promise.all(answers)).map(named)).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((name) => [name, `${name}2`]),
    );
  });

  it('never wait for another block’s', () => {
    const asked = new Asked();
    const batcher = new ProbeBatcher(asked.ask);
    for (const number of [1, 2, 3, 4, 5]) void batcher.ask(block(number), [item('a')]);
    expect(asked.calls.map((call) => call.block)).toEqual([1, 2, 3, 4, 5]);
  });

  it('share a call only as far as their gas caps fit into it', async () => {
    const asked = new Asked();
    const batcher = new ProbeBatcher(asked.ask);
    void batcher.ask(block(1), [item('a')]);
    void batcher.ask(block(1), [item('b')]);
    for (const name of ['c', 'd', 'e']) void batcher.ask(block(1), [item(name, 10_000_000)]);
    void batcher.ask(block(1), [item('alone', 25_000_000)]);
    void batcher.ask(block(1), [item('f')]);
    for (let i = 0; i < 5; i++) {
      asked.calls[i]!.answer();
      await settled();
    }
    expect(asked.calls.slice(2).map(({ targets }) => targets)).toEqual([['c', 'd'], ['e'], ['alone'], ['f']]);
  });

  it('fail together, and the next ones are asked anew', async () => {
    const asked = new Asked();
    const batcher = new ProbeBatcher(asked.ask);
    const first = batcher.ask(block(1), [item('a')]);
    asked.calls[0]!.fail(new Error('the node is away'));
    await expect(first).rejects.toThrow('the node is away');
    const second = batcher.ask(block(1), [item('b')]);
    asked.calls[1]!.answer();
    expect(named(await second)).toEqual(['b']);
  });
});
