import { expect, it } from '@jest/globals';
import { chart } from '../../clients/cli/src/chart.ts';

const dotsOf = (amounts: readonly (bigint | null)[]): string[] =>
  chart(amounts, String).map((line) => line.replace(/^.*┤/, ''));

it('has a dot for each amount, and a gap where it is not known', () => {
  const dots = dotsOf([null, 0n, null, null, 11n]);
  expect([dots.length, dots[0], dots.at(-1)]).toEqual([12, '    •', ' •']);
  expect(dotsOf([null, 7n, null, 7n])).toEqual([' • •']);
});

it('has no lines where no amount is known', () => {
  expect(dotsOf([null])).toEqual([]);
});
