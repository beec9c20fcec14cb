import { expect, it } from '@jest/globals';
import { InvalidThresholds, parseThresholds, unitsAt, validThresholds } from './thresholds.ts';

it.each([
  ['50, 80,100', [50, 80, 100]],
  ['100%  50 % 50', [50, 100]],
  [' , ', []],
])('reads %j', (text, thresholds) => {
  expect(parseThresholds(text)).toEqual(thresholds);
});

it.each(['0', '101', '-5', '50.5', '1e1', '0x50', '0050', 'half', '1 2 3 4 5 6'])('refuses %j', (text) => {
  expect(() => parseThresholds(text)).toThrow(InvalidThresholds);
});

it.each([[[0]], [[101]], [[50.5]], [[Number.NaN]]])('takes no %j for thresholds', (thresholds) => {
  expect(() => validThresholds(thresholds)).toThrow('from 1 to 100');
});

it('is reached by the first unit that is its share of the limit', () => {
  expect([unitsAt(80, 100), unitsAt(50, 99), unitsAt(1, 1), unitsAt(100, 0)]).toEqual([80, 50, 1, 0]);
});
