import { describe, expect, it } from '@jest/globals';
import { firstCell } from './csv-cell.ts';

describe('the first cell of a row of CSV', () => {
  it.each([
    ['0xa,1', '0xa'],
    [' 0xa\t,1', '0xa'],
    ['"0xa",1', '0xa'],
    ['" 0xa ""b"" "x,1', '0xa "b"'],
    ['"open', 'open'],
    ['', ''],
    [',x', ''],
  ])('of %j is %j', (row, cell) => {
    expect(firstCell(row)).toBe(cell);
  });

  it('is cut off after 1,024 characters, quoted or not', () => {
    expect(firstCell('x'.repeat(2_000))).toBe('x'.repeat(1_024));
    expect(firstCell('"'.repeat(4_000))).toBe('"'.repeat(511));
  });
});
