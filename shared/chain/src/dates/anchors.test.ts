import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Anchors } from './anchors.ts';
import type { Block } from '../state/block.ts';

const block = (number: number, timestamp: number): Block => ({
  number,
  timestamp,
  hash: `0x${number}`,
  parentHash: `0x${number - 1}`,
});

describe('the blocks that date searches remember', () => {
  it('are found on both sides of a moment, whatever order they were added in', () => {
    const chain = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 60 }).chain((gaps) => {
      let time = 0;
      const blocks = gaps.map((gap, number) => block(number, (time += gap)));
      return fc.tuple(fc.shuffledSubarray(blocks, { minLength: 1 }), fc.integer({ min: 0, max: time + 1 }));
    });
    fc.assert(
      fc.property(chain, ([blocks, moment]) => {
        const anchors = new Anchors(100);
        for (const one of [...blocks, ...blocks]) anchors.add(one);
        const sorted = blocks.toSorted((a, b) => a.number - b.number);
        expect(anchors.notAfter(moment)).toEqual(sorted.findLast(({ timestamp }) => timestamp <= moment));
        expect(anchors.after(moment)).toEqual(sorted.find(({ timestamp }) => timestamp > moment));
      }),
      { seed: 1 },
    );
  });

  it('are thinned out when there are too many, and still cover the chain', () => {
    const anchors = new Anchors(100);
    for (let number = 0; number < 10_000; number++) anchors.add(block(number, number * 12));
    const kept = new Set<number>();
    for (let number = 0; number < 10_000; number++) kept.add(anchors.notAfter(number * 12)!.number);
    expect(kept.size).toBeLessThanOrEqual(100);
    expect(kept.size).toBeGreaterThan(20);
    expect(kept.has(0)).toBe(true);
  });

  it('have one block at each height: the last that was added', () => {
    const anchors = new Anchors(2);
    const [before, after] = [block(1, 12), { ...block(1, 12), hash: '0xother' }];
    for (const one of [block(0, 0), before, after]) anchors.add(one);
    expect([anchors.notAfter(0), anchors.notAfter(12)]).toEqual([block(0, 0), after]);
  });

  it('are gone when they are forgotten', () => {
    const anchors = new Anchors(10);
    anchors.add(block(1, 12));
    anchors.clear();
    expect([anchors.notAfter(20), anchors.after(0)]).toEqual([undefined, undefined]);
  });
});
