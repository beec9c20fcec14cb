import { describe, expect, it } from '@jest/globals';
import { tableOf, writeTable } from './csv-table.ts';

const lineOf = (...cells: readonly (string | number | boolean | null | readonly string[])[]): string =>
  writeTable({ columns: [], rows: [cells] }).slice('\r\n'.length);

describe('a table', () => {
  it('has a header, and lines that end in CRLF', () => {
    const table = tableOf([{ a: 1 }, { a: 2 }], { one: ({ a }) => a, two: () => 'x' });
    expect(writeTable(table)).toBe('one,two\r\n1,x\r\n2,x\r\n');
  });

  it('quotes what would end a cell, a row or a table', () => {
    expect(lineOf('a,b', 'a"b', 'a\r\nb', '# a', ' a')).toBe('"a,b","a""b","a\r\nb","# a"," a"\r\n');
  });

  it('leaves nothing empty but what is not there', () => {
    expect(lineOf(null, 0, false, ['0x1', '0x2'], [])).toBe(',0,false,0x1 0x2,\r\n');
  });

  it.each(['=1+1', '+1', '@SUM(A1)', '\tx', '-1+2', '-A1', '-'])(
    'puts an apostrophe before %j, which a spreadsheet would run',
    (text) => {
      expect(lineOf(text)).toMatch(/^"?'/);
    },
  );

  it('leaves a number below zero a number', () => {
    expect(lineOf('-5')).toBe('-5\r\n');
  });
});
