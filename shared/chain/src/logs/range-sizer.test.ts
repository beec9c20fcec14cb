import { describe, expect, it } from '@jest/globals';
import { RangeSizer } from './range-sizer.ts';

const BOUNDS = { first: 100, max: 10_000, events: 2_000 };
const MINUTE = 60_000;

function sizer(bounds = BOUNDS): RangeSizer & { pass(ms: number): void } {
  let now = 1_000_000;
  return Object.assign(new RangeSizer(bounds, { now: () => now }), {
    pass(ms: number) {
      now += ms;
    },
  });
}

describe('The size of ranges', () => {
  it('grows where events are few, up to the bound', () => {
    const ranges = sizer();
    for (let i = 0; i < 20; i++) ranges.answered(ranges.size, 0);
    expect(ranges.size).toBe(10_000);
  });

  it('approaches the wanted number of events', () => {
    const ranges = sizer();
    for (let i = 0; i < 20; i++) ranges.answered(ranges.size, ranges.size * 40);
    expect(ranges.size).toBe(50);
    ranges.answered(50, 50 * 1000);
    expect(ranges.size).toBe(2);
  });

  it('stays within what the node allows, for twenty seconds', () => {
    const ranges = sizer();
    ranges.limit(60);
    ranges.limit(80);
    for (let i = 0; i < 100; i++) ranges.answered(60, 1);
    ranges.pass(20_000);
    expect(ranges.size).toBe(60);
    ranges.pass(1_000);
    expect(ranges.size).toBe(120);
    ranges.limit(70);
    expect(ranges.size).toBe(70);
  });

  it.each([1, 7, 5_000])('of %i blocks is all of a chain again within a minute', (blocks) => {
    const chain = sizer({ first: 2 ** 40, max: 2 ** 40, events: 5_000 });
    chain.limit(blocks);
    expect(chain.size).toBe(blocks);
    chain.pass(MINUTE);
    expect(chain.size).toBe(2 ** 40);
  });

  it('is not held down by a clock that is set back', () => {
    const ranges = sizer({ ...BOUNDS, first: 10_000 });
    ranges.limit(1);
    ranges.pass(-3_600_000);
    expect(ranges.size).toBe(10_000);
  });
});
