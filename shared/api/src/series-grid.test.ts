import { describe, expect, it } from '@jest/globals';
import { countPoints, pointsOnGrid, readPoints, readStep, seriesPointsOf, type Grid } from './series-grid.ts';

const at = (date: string): number => Date.parse(date) / 1000;

const GRIDS: readonly Grid[] = [
  readStep('1h')!,
  readStep('1d')!,
  readStep('1w')!,
  readStep('1M')!,
  readStep('7')!,
];
const ENDS = ['2023-01-31', '2023-02-28T23:59:59Z', '2023-03-01', '2024-02-29', '2024-12-31T12:00:00Z'];

describe('the points of a grid', () => {
  it('are as many as are counted, ascend, and the next one would be behind the end', () => {
    for (const grid of GRIDS) {
      for (const [from, to] of ENDS.flatMap((a, i) => ENDS.slice(i).map((b) => [at(a), at(b)] as const))) {
        // Steps of single seconds over years would be millions.
        const last = grid.step === 'blocks' ? Math.min(to, from + 5_000) : to;
        const points = pointsOnGrid(grid, from, last);
        expect(points).toHaveLength(countPoints(grid, from, last));
        expect(points[0]).toBe(from);
        expect(points.at(-1)).toBeLessThanOrEqual(last);
        expect(new Set(points).size).toBe(points.length);
        expect([...points].sort((a, b) => a - b)).toEqual(points);
        const [, beyond] = pointsOnGrid(grid, points.at(-1)!, last + 32 * 86_400);
        if (grid.step !== 'month') expect(beyond).toBeGreaterThan(last);
      }
    }
  });

  it.each([
    // The first of a month, where it begins before and after that of UTC.
    ['2022-07-01T00:00:00', '+10:00', ['2022-08-01', '2022-09-01', '2022-10-01', '2022-11-01']],
    ['2022-12-31T20:00:00', '-05:30', ['2023-01-31', '2023-02-28', '2023-03-31', '2023-04-30']],
  ])('are of the months of a zone: %s%s', (from, zone, days) => {
    const ahead = at(`${from}Z`) - at(`${from}${zone}`);
    const [, time] = from.split('T');
    const expected = [from, ...days.map((day) => `${day}T${time}`)].map((local) => at(`${local}${zone}`));
    const grid: Grid = { step: 'month', ahead };
    const last = expected.at(-1)!;
    expect(pointsOnGrid(grid, expected[0]!, last)).toEqual(expected);
    expect([last - 1, last].map((to) => countPoints(grid, expected[0]!, to))).toEqual([4, 5]);
  });

  it('that are spread evenly are never more than are counted', () => {
    const grid = readPoints('12')!;
    for (const length of [0, 1, 5, 11, 12, 100])
      expect(pointsOnGrid(grid, 100, 100 + length)).toHaveLength(Math.min(length + 1, 12));
    expect(countPoints(grid, 100, 105)).toBe(12);
  });

  it.each(['', '0', '1', '1001', '2.5', '-2', '1e2'])('no number of points: %j', (text) => {
    expect(readPoints(text)).toBeUndefined();
  });
  it.each(['', '0', '01', '2h', '1m', '-5', 'constructor', '1234567890123'])('no step: %j', (text) => {
    expect(readStep(text)).toBeUndefined();
  });
});

describe('the points that a query means', () => {
  it.each([
    ['points=12', 12],
    ['step=1d&from=2024-02-28&to=2024-03-01', 3],
    ['step=1M&from=2023-01-31&to=2023-02-28', 2],
    ['step=1M&from=2023-01-31T12:00&to=2023-02-28', 1],
    ['step=10&from=5&to=25', 3],
    ['step=10&from=25&to=5', 1],
  ])('%s: %d', (query, points) => {
    expect(seriesPointsOf(query)).toBe(points);
  });

  it.each(['', 'step=1d', 'step=1d&from=5&to=2024-01-01', 'step=5&from=5', 'points=2&points=3', 'points=1'])(
    'only the service can tell: %s',
    (query) => {
      expect(seriesPointsOf(query)).toBeUndefined();
    },
  );
});
