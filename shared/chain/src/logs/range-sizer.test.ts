import { describe, expect, it } from '@jest/globals';
import { RangeSizer } from './range-sizer.ts';

const BOUNDS = { first: 100, max: 10_000, events: 2_000 };

describe('The size of ranges', () => {
  it('grows where events are few, up to the bound', () => {
    const sizer = new RangeSizer(BOUNDS);
    for (let i = 0; i < 20; i++) sizer.answered(sizer.size, 0);
    expect(sizer.size).toBe(10_000);
  });

  it('approaches the wanted number of events', () => {
    const sizer = new RangeSizer(BOUNDS);
    for (let i = 0; i < 20; i++) sizer.answered(sizer.size, sizer.size * 40);
    expect(sizer.size).toBe(50);
    sizer.answered(50, 50 * 1000);
    expect(sizer.size).toBe(2);
  });

  it('adopts what the node proposes, otherwise halves', () => {
    const sizer = new RangeSizer(BOUNDS);
    sizer.refused(100, 60);
    expect(sizer.size).toBe(60);
    sizer.refused(60, undefined);
    expect(sizer.size).toBe(30);
    for (let i = 0; i < 10; i++) sizer.refused(sizer.size, undefined);
    expect(sizer.size).toBe(1);
  });

  it('stays below what was refused, and tries larger ranges after a while', () => {
    const sizer = new RangeSizer(BOUNDS);
    sizer.refused(100, 50);
    for (let i = 0; i < 30; i++) sizer.answered(50, 1);
    expect(sizer.size).toBe(50);
    for (let i = 0; i < 64; i++) sizer.answered(50, 1);
    expect(sizer.size).toBe(75);
  });
});
