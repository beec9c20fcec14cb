import { describe, expect, it } from '@jest/globals';
import type { Grid } from '@hindsight/api/series-grid.ts';
import { pointsOf } from './series.ts';

const at = (date: string): number => Date.parse(date) / 1000;
const days = (grid: Grid, from: string, to: string): string[] =>
  pointsOf(grid, at(from), at(to)).map((seconds) => new Date(seconds * 1000).toISOString().slice(0, 10));

describe('the points of a series', () => {
  it('of months are the same day of each, or the last one of a shorter month', () => {
    expect(days({ step: 'month' }, '2023-11-30', '2024-04-29')).toEqual([
      '2023-11-30',
      '2023-12-30',
      '2024-01-30',
      '2024-02-29',
      '2024-03-30',
    ]);
    expect(days({ step: 'month' }, '2022-12-31', '2023-05-31')).toEqual([
      '2022-12-31',
      '2023-01-31',
      '2023-02-28',
      '2023-03-31',
      '2023-04-30',
      '2023-05-31',
    ]);
  });

  it('of months keep the time of day', () => {
    const points = pointsOf({ step: 'month' }, at('2024-01-31T23:59:59Z'), at('2024-03-01'));
    expect(points).toEqual([at('2024-01-31T23:59:59Z'), at('2024-02-29T23:59:59Z')]);
  });

  it('of days include both ends, where the last one is on the grid', () => {
    const grid: Grid = { step: 'seconds', seconds: 86_400, text: '1d' };
    expect(pointsOf(grid, at('2023-01-01'), at('2023-12-31'))).toHaveLength(365);
    expect(days(grid, '2024-02-28', '2024-03-01')).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
    expect(pointsOf(grid, at('2024-02-28'), at('2024-03-01') - 1)).toHaveLength(2);
  });

  it('that are spread evenly have both ends, and none twice', () => {
    expect(pointsOf({ step: 'even', points: 5 }, 0, 10)).toEqual([0, 3, 5, 8, 10]);
    expect(pointsOf({ step: 'even', points: 1_000 }, 5, 7)).toEqual([5, 6, 7]);
    expect(pointsOf({ step: 'even', points: 2 }, 5, 5)).toEqual([5]);
  });

  it('are a thousand at the most, and in order', () => {
    const each: Grid = { step: 'blocks', blocks: 1 };
    expect(pointsOf(each, 1, 1_000)).toHaveLength(1_000);
    expect(() => pointsOf(each, 1, 1_001)).toThrow('there are 1,001 points or more; expected at most 1,000');
    expect(() => pointsOf(each, 2, 1)).toThrow('from: it is after to');
  });
});
