import { describe, expect, it } from '@jest/globals';
import { BodyRows } from '@hindsight/api/body-rows.ts';
import { turnsDuring } from '@hindsight/kernel/test/support/turns-during.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { PassThrough } from 'node:stream';
import { ByteBudget } from './byte-budget.ts';
import { BodyReader } from './body-reader.ts';

const MIB = 1024 * 1024;
const LINE = Buffer.alloc(1_024, `${'x'.repeat(1_023)}\n`);
/** As much as a socket brings at once. */
const AT_ONCE = 16;
const LINES = Buffer.concat(Array.from({ length: AT_ONCE }, () => LINE));

/** A body of 8 MiB that is sent as fast as it is taken. */
class Body {
  readonly #stream = new PassThrough();
  readonly reader: BodyReader<number>;
  sent = 0;

  constructor(budget: ByteBudget, lines = 8 * 1024) {
    const rows = new BodyRows({ csv: false });
    this.reader = new BodyReader(this.#stream, {
      rows,
      toRow: ({ line }) => line,
      length: lines * 1_024,
      budget,
      stalledMs: 60_000,
    });
    void this.#send(lines);
  }

  async #send(lines: number): Promise<void> {
    for (let i = 0; i < lines && !this.#stream.destroyed; i += AT_ONCE) {
      const some = LINES.subarray(0, LINE.length * Math.min(AT_ONCE, lines - i));
      if (!this.#stream.write(some)) await new Promise((resolve) => this.#stream.once('drain', resolve));
      this.sent += some.length;
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

/** Takes the body to its end. @returns the number of its rows */
async function countRows({ reader }: Body): Promise<number> {
  let count = 0;
  for (let rows = await reader.take(100); rows.length > 0; rows = await reader.take(100))
    count += rows.length;
  return count;
}

describe('bodies that are taken in', () => {
  it('wait at some hundred KB each while they are not asked for', async () => {
    const budget = new ByteBudget(64 * MIB);
    const body = new Body(budget);
    expect(await settled([body])).toBeLessThan(MIB / 2);
    expect(budget.left).toBe(64 * MIB);
    body.reader.discard();
  });

  it('hold no more than the budget of the process, however many there are: each all of it, or in line', async () => {
    const budget = new ByteBudget(20 * MIB);
    const bodies = Array.from({ length: 20 }, () => new Body(budget));
    for (const { reader } of bodies) reader.takesAll = true;
    await settled(bodies);
    expect(bodies.map(({ sent }) => sent > MIB)).toEqual(bodies.map((_, i) => i < 2));
    expect(bodies[1]!.sent).toBe(8 * MIB);
    expect(budget.left).toBeGreaterThanOrEqual(0);
    for (const { reader } of bodies) reader.discard();
    expect(budget.left).toBe(20 * MIB);
  });

  it('go on, those that waited too, as rows are taken or bodies end', async () => {
    const budget = new ByteBudget(10 * MIB);
    const bodies = Array.from({ length: 4 }, () => new Body(budget));
    for (const { reader } of bodies) reader.takesAll = true;
    await settled(bodies);
    expect(await Promise.all(bodies.map(countRows))).toEqual([8_192, 8_192, 8_192, 8_192]);
    expect(budget.left).toBe(10 * MIB);
  });

  it('are taken in one after another where there is room for one, and wait without blame', async () => {
    const budget = new ByteBudget(10 * MIB);
    const [first, second] = [new Body(budget), new Body(budget)];
    first.reader.takesAll = true;
    second.reader.takesAll = true;
    await settled([first, second]);
    expect(first.sent).toBe(8 * MIB);
    const asked = performance.now();
    expect(second.reader.receivedAt).toBeGreaterThanOrEqual(asked);
    expect(first.reader.receivedAt).toBeLessThan(asked);
    expect(await countRows(first)).toBe(8_192);
    await until('the second is through', () => second.sent === 8 * MIB);
    await settled([second]);
    const later = performance.now();
    expect(second.reader.receivedAt).toBeLessThan(later);
    second.reader.discard();
  });

  it('keep their room until they are through, also where rows are taken meanwhile', async () => {
    const budget = new ByteBudget(10 * MIB);
    const [first, second] = [new Body(budget), new Body(budget)];
    first.reader.takesAll = true;
    await until('some of the first has come', () => first.sent > MIB);
    first.reader.takesAll = false;
    second.reader.takesAll = true;
    await settled([first, second]);
    expect(second.sent).toBeLessThan(MIB);
    first.reader.takesAll = true;
    await until('the first is through', () => first.sent === 8 * MIB);
    expect(await countRows(first)).toBe(8_192);
    expect(await countRows(second)).toBe(8_192);
  });

  it('lose their turn once they are asked for again, and their room once nothing is ahead', async () => {
    const budget = new ByteBudget(10 * MIB);
    const [first, second, third] = [new Body(budget), new Body(budget), new Body(budget)];
    for (const { reader } of [first, second, third]) reader.takesAll = true;
    await settled([first, second, third]);
    second.reader.takesAll = false;
    first.reader.takesAll = false;
    expect(await countRows(first)).toBe(8_192);
    await until('the third is through', () => third.sent === 8 * MIB);
    expect(second.sent).toBeLessThan(MIB);
    third.reader.discard();
    second.reader.discard();
    expect(budget.left).toBe(10 * MIB);
  });

  it('return what they held when they are dropped, and when their client leaves', async () => {
    const budget = new ByteBudget(10 * MIB);
    const [first, second] = [new Body(budget), new Body(budget)];
    first.reader.takesAll = true;
    await settled([first]);
    second.reader.takesAll = true;
    const waiting = await settled([second]);
    first.leave();
    first.reader.discard();
    first.reader.discard();
    await until('the second goes on', () => second.sent > waiting);
    second.reader.discard();
    await until('the second is through', () => second.sent === 8 * MIB);
    expect(budget.left).toBe(10 * MIB);
    const third = new Body(budget);
    third.reader.takesAll = true;
    expect(await settled([third])).toBe(8 * MIB);
    third.reader.discard();
  });

  it('leave others their turn between parts, also where all of them have come', async () => {
    const body = new Body(new ByteBudget(64 * MIB));
    body.reader.takesAll = true;
    await until('all has come', () => body.sent === 8 * MIB);
    await settled([body]);
    expect(await turnsDuring(countRows(body))).toBeGreaterThan(100);
  });

  it('are read on without a budget: a small body is answered while large ones wait', async () => {
    const budget = new ByteBudget(MIB);
    const large = new Body(budget);
    large.reader.takesAll = true;
    await settled([large]);
    const small = new Body(budget, 100);
    expect(await small.reader.take(200)).toHaveLength(100);
    large.reader.discard();
  });
});
