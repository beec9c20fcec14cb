import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BodyRows, bytesOf, MAX_BLANK_LINES, type RawRow } from './body-rows.ts';

interface Read {
  readonly rows: readonly (readonly [line: number, text: string])[];
  readonly count: number;
  readonly isRefused: boolean;
}

/** The rows of a body that comes in parts; those with a fault are written as `!fault`. */
function read(parts: readonly Uint8Array[], csv = false): Read {
  const body = new BodyRows({ csv });
  const rows: [number, string][] = [];
  const onRow = (row: RawRow): void =>
    void rows.push([row.line, row.fault === undefined ? bytesOf(row).toString('latin1') : `!${row.fault}`]);
  for (const part of parts) body.push(part, onRow);
  body.end(onRow);
  return { rows, count: body.rows, isRefused: body.isRefused };
}

const rowsOf = (text: string, csv = false): Read['rows'] => read([Buffer.from(text)], csv).rows;

const isHeader = (row: string): boolean => {
  const trimmed = row.replace(/^[ \t]+/, '');
  const quoted = /^"((?:[^"]|"")*)/.exec(trimmed)?.[1]?.replaceAll('""', '"');
  const cell = (quoted ?? trimmed.split(',')[0]!).replace(/^[ \t]+/, '');
  return !cell.startsWith('0x') && !cell.includes('.');
};

/** The rule, written down a second time: slowly, over the whole text. */
function byRule(bytes: Buffer, csv: boolean): [line: number, text: string][] {
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  const cell = String.raw`"(?:[^"]|"")*"(?!")[^,\n]*|(?!")[^,\n]*`;
  const first = String.raw`[ \t]*"(?:[^"]|"")*"(?!")[^,\n]*|(?![ \t]*")[^,\n]*`;
  const row = csv ? new RegExp(`(?:${first})(?:,(?:${cell}))*(?:\n|$)`, 'y') : /[^\n]*(?:\n|$)/y;
  const rows: [number, string][] = [];
  let line = 0;
  for (let at = 0; at < text.length;) {
    row.lastIndex = at;
    const [found] = row.exec(text) ?? [];
    const whole = found ?? text.slice(at);
    line += whole.split('\n').length - (found?.endsWith('\n') ? 1 : 0);
    at += whole.length;
    const content = whole.replace(/\n$/, '').replace(/\r$/, '');
    if (found === undefined) rows.push([line, '!open quote']);
    else if (/[^ \t]/.test(content)) rows.push([line, content]);
  }
  const [head] = rows;
  return csv && head !== undefined && !head[1].startsWith('!') && isHeader(head[1]) ? rows.slice(1) : rows;
}

describe('the rows of a body', () => {
  const piece = fc.constantFrom('a', '0x', '.', ',', '"', '""', ' ', '\t', '\r', '\n', '\r\n', '\uFEFF', 'é');

  it('are those of the rule, wherever its parts begin', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.boolean(),
        fc.array(fc.nat(60), { maxLength: 6 }),
        (pieces, csv, cuts) => {
          const bytes = Buffer.from(pieces.join(''));
          const places = [
            0,
            ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
            bytes.length,
          ];
          const parts = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
          const { rows, count } = read(parts, csv);
          expect(rows).toEqual(byRule(bytes, csv));
          expect(count).toBe(rows.length);
        },
      ),
      { numRuns: 5_000, seed: 1 },
    );
  });

  it.each<[what: string, body: string, rows: Read['rows']]>([
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
      'with quotes that mean nothing outside of CSV',
      '"a\nb"',
      [
        [1, '"a'],
        [2, 'b"'],
      ],
    ],
  ])('%s', (_what, body, rows) => {
    expect(rowsOf(body)).toEqual(rows);
  });

  it.each<[what: string, body: string, rows: Read['rows']]>([
    ['is dropped', 'wallet,amount\n0xa', [[2, '0xa']]],
    ['may follow blank lines', '\n \nwallet\n0xa', [[4, '0xa']]],
    ['may be quoted, over two lines', '" the ""wallet\nof"" ",x\n0xa', [[3, '0xa']]],
    ['may be empty in its first cell', ',x\n0xa', [[2, '0xa']]],
    [
      'is a row where it begins as an address',
      '"0xholder",x\n0xa',
      [
        [1, '"0xholder",x'],
        [2, '0xa'],
      ],
    ],
    [
      'is a row where its first cell has a dot',
      'alice.eth,x\n0xa',
      [
        [1, 'alice.eth,x'],
        [2, '0xa'],
      ],
    ],
    ['is there once', 'wallet\nwallet', [[2, 'wallet']]],
    [
      'is none where it is too long',
      `${'x'.repeat(4_097)}\n0xa`,
      [
        [1, '!too long'],
        [2, '0xa'],
      ],
    ],
  ])('a header of CSV %s', (_what, body, rows) => {
    expect(rowsOf(body, true)).toEqual(rows);
  });

  it.each<[what: string, body: string, rows: Read['rows']]>([
    [
      'go on over the line ends in quotes, as spreadsheets write them',
      '0xa,"moved from\n0xb, see ticket"\r\n0xc\n',
      [
        [2, '0xa,"moved from\n0xb, see ticket"'],
        [3, '0xc'],
      ],
    ],
    [
      'end after the quote is closed',
      '"0xa"\n"0xb""\n"\n0xc',
      [
        [1, '"0xa"'],
        [3, '"0xb""\n"'],
        [4, '0xc'],
      ],
    ],
    [
      'take a quote within a cell as text',
      '0xa,5" pipe\n0xb, "x\n',
      [
        [1, '0xa,5" pipe'],
        [2, '0xb, "x'],
      ],
    ],
    [
      'cannot be read where a quote is never closed',
      '0xa\n0xb,"open\n0xc\n0xd',
      [
        [1, '0xa'],
        [4, '!open quote'],
      ],
    ],
    [
      'count their lines where they are too long',
      `0xa,"${'x\n'.repeat(5_000)}"\n0xb`,
      [
        [5_001, '!too long'],
        [5_002, '0xb'],
      ],
    ],
  ])('of CSV %s', (_what, body, rows) => {
    expect(rowsOf(body, true)).toEqual(rows);
    const bytes = [...Buffer.from(body)].map((byte) => Buffer.from([byte]));
    expect(read(bytes, true).rows).toEqual(rows);
  });

  it('cannot be read where they are longer than 4,096 bytes, in one part or in many', () => {
    const body = Buffer.from(`${'x'.repeat(4_096)}\r\n${'y'.repeat(4_097)}\n${' '.repeat(9_000)}\r\nz\n`);
    const parts = Array.from({ length: Math.ceil(body.length / 1_000) }, (_, i) =>
      body.subarray(i * 1_000, (i + 1) * 1_000),
    );
    for (const csv of [false, true])
      for (const { rows } of [read([body], csv), read(parts, csv)])
        expect(rows.slice(-3)).toEqual([
          [2, '!too long'],
          [3, '!too long'],
          [4, 'z'],
        ]);
  });
});

describe('blank lines', () => {
  it.each(['\n', '\r\n', ' \t\n'])('%j are 1,000 at the most where there are no rows', (line) => {
    expect(read([Buffer.from(`${line.repeat(MAX_BLANK_LINES)}a`)])).toMatchObject({
      count: 1,
      isRefused: false,
    });
    const more = read([Buffer.from(`${line.repeat(MAX_BLANK_LINES + 1)}a\nb`)]);
    expect(more).toEqual({ rows: [], count: 0, isRefused: true });
  });

  it('may be one more for each row', () => {
    const body = (blank: number): Buffer => Buffer.from(`${'a\n'.repeat(500)}${'\n'.repeat(blank)}a`);
    expect(read([body(MAX_BLANK_LINES + 500)])).toMatchObject({ count: 501, isRefused: false });
    expect(read([body(MAX_BLANK_LINES + 501)])).toMatchObject({ count: 500, isRefused: true });
  });

  it('are looked at one by one only up to their limit, however many come', () => {
    const body = new BodyRows({ csv: false });
    const part = Buffer.alloc(64 * 1024, '\n');
    body.push(part, () => undefined);
    const { line } = body;
    for (let i = 0; i < 1_000; i++) body.push(part, () => undefined);
    expect([line, body.line, body.isRefused]).toEqual([MAX_BLANK_LINES + 2, MAX_BLANK_LINES + 2, true]);
  });
});
