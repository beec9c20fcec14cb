import { describe, expect, it } from '@jest/globals';
import { BodyRows } from '@hindsight/api/body-rows.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { PassThrough } from 'node:stream';
import { BodyBudget } from './body-budget.ts';
import { BodyReader } from './body-reader.ts';

const MIB = 1024 * 1024;

/** A body of 8 MiB that is sent as fast as it is taken. */
class Body {
  readonly #stream = new PassThrough();
  readonly reader: BodyReader<number>;
  sent = 0;

  constructor(budget: BodyBudget, lines = 8 * 1024) {
    const rows = new BodyRows({ csv: false });
    this.reader = new BodyReader(this.#stream, {
      rows,
      toRow: ({ line }) => line,
      budget,
      stalledMs: 60_000,
    });
    void this.#send(lines);
  }

  async #send(lines: number): Promise<void> {
    for (let i = 0; i < lines && !this.#stream.destroyed; i++) {
      const line = Buffer.alloc(1_024, 'x');
      line[1_023] = 0x0a;
      if (!this.#stream.write(line)) await new Promise((resolve) => this.#stream.once('drain', resolve));
      this.sent += line.length;
    }
    this.#stream.end();
  }

  leave(): void {
    this.#stream.destroy();
  }
}

/** Resolves once nothing moves any more. */
async function settled(bodies: readonly Body[]): Promise<number> {
  const total = (): number => bodies.reduce((sum, { sent }) => sum + sent, 0);
  for (let before = -1; before !== total();) {
    before = total();
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  }
  return total();
}

describe('bodies that are taken in', () => {
  it('wait at some hundred KB each while they are not asked for', async () => {
    const budget = new BodyBudget(64 * MIB);
    const body = new Body(budget);
    expect(await settled([body])).toBeLessThan(MIB / 2);
    body.reader.discard();
  });

  it('hold no more than the budget of the process, however many there are', async () => {
    const budget = new BodyBudget(4 * MIB);
    const bodies = Array.from({ length: 20 }, () => new Body(budget));
    for (const { reader } of bodies) reader.takesAll = true;
    const held = await settled(bodies);
    expect(budget.hasRoom).toBe(false);
    // In addition to the budget: each one's own allowance, and the buffers of its stream.
    expect(held).toBeLessThan(4 * MIB + (20 * MIB) / 2);
    for (const { reader } of bodies) reader.discard();
  });

  it('go on, those that waited too, as rows are taken or bodies end', async () => {
    const budget = new BodyBudget(4 * MIB);
    const bodies = Array.from({ length: 4 }, () => new Body(budget));
    for (const { reader } of bodies) reader.takesAll = true;
    await settled(bodies);
    const counts = await Promise.all(
      bodies.map(async ({ reader }) => {
        let count = 0;
        for (let rows = await reader.take(100); rows.length > 0; rows = await reader.take(100))
          count += rows.length;
        return count;
      }),
    );
    expect(counts).toEqual([8_192, 8_192, 8_192, 8_192]);
  });

  it('return what they held when they are dropped, and when their client leaves', async () => {
    const budget = new BodyBudget(4 * MIB);
    const [first, second] = [new Body(budget), new Body(budget)];
    first.reader.takesAll = true;
    await settled([first]);
    expect(budget.hasRoom).toBe(false);
    second.reader.takesAll = true;
    const waiting = await settled([second]);
    first.leave();
    first.reader.discard();
    first.reader.discard();
    expect(budget.hasRoom).toBe(true);
    await until('the second goes on', () => second.sent > waiting);
    second.reader.discard();
    await until('the second is through', () => second.sent === 8 * MIB);
    const third = new Body(budget);
    third.reader.takesAll = true;
    expect(await settled([third])).toBeGreaterThan(3 * MIB);
    third.reader.discard();
  });

  it('are read on without a budget: a small body is answered while large ones wait', async () => {
    const budget = new BodyBudget(MIB);
    const large = new Body(budget);
    large.reader.takesAll = true;
    await settled([large]);
    const small = new Body(budget, 100);
    expect(await small.reader.take(200)).toHaveLength(100);
    large.reader.discard();
  });
});
