import { beforeEach, describe, expect, it } from '@jest/globals';
import { describeProgress, RateMeter, type IndexStatus } from './progress.ts';

describe('the rate of an index', () => {
  let meter: RateMeter;
  beforeEach(() => void (meter = new RateMeter()));

  it('is none before two moments are known, and from the start of other work', () => {
    const none = { blocks: 0, logs: 0 };
    expect(meter.rate).toEqual(none);
    meter.note(1_000, 10, 0);
    meter.note(1_000, 20, 5);
    expect(meter.rate).toEqual(none);
    meter.note(3_000, 30, 15);
    expect(meter.rate).toEqual({ blocks: 10, logs: 10 });
    meter.reset();
    expect(meter.rate).toEqual(none);
  });

  it('is that of the last half minute', () => {
    for (let second = 0; second <= 100; second++) meter.note(second * 1_000, second, 1);
    for (let second = 101; second <= 131; second++) meter.note(second * 1_000, 10 * second, 3);
    expect(meter.rate).toEqual({ blocks: 10, logs: 3 });
  });

  it('is that of the last step where it took longer', () => {
    meter.note(0, 0, 0);
    meter.note(100_000, 600, 100);
    expect(meter.rate).toEqual({ blocks: 6, logs: 1 });
    meter.note(200_000, 1_000, 100);
    expect(meter.rate).toEqual({ blocks: 4, logs: 1 });
  });
});

describe('the progress of an index', () => {
  const STATUS: IndexStatus = {
    ...{ state: 'indexing', detail: '', finalized: 1_000, blocksPerSecond: 0, logsPerSecond: 0, at: 0 },
  };
  const indexing = (left: number, blocksPerSecond: number): string =>
    describeProgress(1_000, { ...STATUS, finalized: 1_000 + left, blocksPerSecond });

  it('is told before there is any, or a report', () => {
    expect(describeProgress(null, null)).toBe('nothing is indexed yet');
    expect(describeProgress(7, null)).toBe('indexed to block 7');
    expect(describeProgress(null, { ...STATUS, finalized: null })).toBe('indexing: no block yet');
    expect(describeProgress(null, STATUS)).toBe('indexing: no block yet of 1000');
  });

  it.each([
    [591, '60 s'],
    [600, '1 min'],
    [35_999, '60 min'],
    [36_000, '1 h 0 min'],
    [863_999, '23 h 59 min'],
    [864_000 + 72_000, '1 d 2 h'],
  ])('has the time that is left: %i blocks, ten a second: %s', (left, time) => {
    expect(indexing(left, 10)).toBe(`indexing: block 1000 of ${1_000 + left}; 10 blocks/s, ${time} left`);
  });

  it('has no time where nothing is left, nothing moves, or the chain is followed', () => {
    expect(indexing(5, 0)).toBe('indexing: block 1000 of 1005');
    expect(indexing(0, 10)).toBe('indexing: block 1000 of 1000');
    expect(indexing(-5, 10)).toBe('indexing: block 1000 of 995');
    const following = {
      ...STATUS,
      state: 'following',
      blocksPerSecond: 1,
      detail: 'a node is late',
    } as const;
    expect(describeProgress(900, following)).toBe('following: block 900 of 1000; a node is late');
  });
});
