import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BodyLines, type BodyRow } from './body-lines.ts';

function rowsOf(parts: readonly Buffer[], header = false): BodyRow[] {
  const lines = new BodyLines({ header });
  return [...parts.flatMap((part) => lines.push(part)), ...lines.end()];
}

const readWhole = (body: Buffer | string, header = false): BodyRow[] => rowsOf([Buffer.from(body)], header);
const texts = (body: string, header = false): unknown[] =>
  readWhole(body, header).map(({ line, text }) => [line, text]);

/** The rule again, on the whole body. */
function rowsByRule(body: Buffer): [line: number, text: string][] {
  const text = body.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  return text
    .split('\n')
    .map((line, i): [number, string] => [i + 1, line.replace(/\r$/, '')])
    .filter(([, line]) => /[^ \t]/.test(line));
}

const byte = fc.oneof(
  { arbitrary: fc.constantFrom(0x0a, 0x0d, 0x20, 0x09, 0x30, 0x78, 0x2c, 0x22), weight: 8 },
  fc.constantFrom(0xef, 0xbb, 0xbf, 0xc3, 0xa4, 0x00),
);

describe('the rows of a body', () => {
  it('are those of the rule, wherever its parts begin', () => {
    const body = fc.array(byte, { maxLength: 60 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(body, fc.boolean(), fc.array(fc.nat(60), { maxLength: 5 }), (rest, hasMark, cuts) => {
        const whole = hasMark ? Buffer.concat([Buffer.from('\ufeff'), rest]) : rest;
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const parts = places.slice(1).map((end, i) => whole.subarray(places[i], end));
        const rows = rowsOf(parts);
        expect(rows.map(({ line }) => line)).toEqual(rowsByRule(whole).map(([line]) => line));
        const plain = rows.filter(({ text }) => text !== undefined);
        const byRule = new Map(rowsByRule(whole));
        for (const { line, text } of plain)
          expect(Buffer.from(text!).toString('latin1')).toBe(byRule.get(line));
        expect(rows).toEqual(rowsOf([whole]));
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it.each([
    ['of nothing', '', []],
    ['of blank lines', '\n \r\n\t', []],
    ['of a byte order mark', '\ufeff', []],
    [
      'without a last line end',
      'a\nb',
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    [
      'with mixed line ends',
      'a\r\n\r\nb\nc\r',
      [
        [1, 'a'],
        [3, 'b'],
        [4, 'c'],
      ],
    ],
    ['with a CR within a line', 'a\rb\r\r\n', [[1, 'a\rb\r']]],
    [
      'with a mark further on',
      'a\n\ufeffb',
      [
        [1, 'a'],
        [2, '\ufeffb'],
      ],
    ],
  ])('%s', (_what, body, rows) => {
    expect(texts(body)).toEqual(rows);
  });

  it.each([
    ['is dropped', 'wallet,amount\na', [[2, 'a']]],
    ['may follow blank lines', '\n \nwallet\na', [[4, 'a']]],
    ['may be quoted', '" the ""wallet"" ",x\na', [[2, 'a']]],
    ['may be empty in its first cell', ',x\na', [[2, 'a']]],
    [
      'is a row where it begins as an address',
      '"0xholder",x\na',
      [
        [1, '"0xholder",x'],
        [2, 'a'],
      ],
    ],
    [
      'is a row where its first cell has a dot',
      'alice.eth,x\na',
      [
        [1, 'alice.eth,x'],
        [2, 'a'],
      ],
    ],
    ['may have a dot further on', 'wallet,v1.0\na', [[2, 'a']]],
    ['is there once', 'wallet\nwallet', [[2, 'wallet']]],
  ])('a header of CSV %s', (_what, body, rows) => {
    expect(texts(body, true)).toEqual(rows);
  });

  it('cannot be read where they are longer than 4,096 bytes, in one part or in many', () => {
    const body = Buffer.from(`${'x'.repeat(4_096)}\r\n${'y'.repeat(4_097)}\n${' '.repeat(9_000)}\r\nz\n`);
    const parts = Array.from({ length: Math.ceil(body.length / 1_000) }, (_, i) =>
      body.subarray(i * 1_000, (i + 1) * 1_000),
    );
    for (const rows of [readWhole(body), rowsOf(parts)])
      expect(rows).toEqual([
        { line: 1, text: 'x'.repeat(4_096) },
        { line: 2, text: undefined, fault: 'the line is longer than 4096 bytes' },
        { line: 4, text: 'z' },
      ]);
  });

  it('cannot be read where they are no UTF-8', () => {
    expect(readWhole(Buffer.from([0x61, 0xff, 0x0a, 0xc3, 0xa4]))).toEqual([
      { line: 1, text: undefined, fault: 'the line is not valid UTF-8' },
      { line: 2, text: 'ä' },
    ]);
  });
});
