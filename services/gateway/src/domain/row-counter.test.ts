import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RowCounter } from './row-counter.ts';

/** Counts a body that comes in parts. */
function count(parts: readonly Uint8Array[], header = false): number {
  const counter = new RowCounter({ header });
  for (const part of parts) counter.push(part);
  counter.end();
  return counter.rows;
}
const rows = (text: string, header = false): number => count([Buffer.from(text)], header);

/** The rule, written down a second time: slowly, over the whole text. */
function rowsOf(bytes: Buffer, header: boolean): number {
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const [first, ...others] = lines.filter((line) => /[^ \t]/.test(line));
  if (first === undefined) return 0;
  if (!header) return others.length + 1;
  const trimmed = first.replace(/^[ \t]+/, '');
  const quoted = /^"((?:[^"]|"")*)/.exec(trimmed)?.[1]?.replaceAll('""', '"');
  const cell = trimBlanks(quoted ?? trimmed.split(',')[0]!);
  const isHeader = !cell.startsWith('0x') && !cell.includes('.');
  return others.length + (isHeader ? 0 : 1);
}

/** Without the spaces and tabs around it. */
function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t'.includes(text[end - 1]!)) end--;
  return text.slice(0, end).replace(/^[ \t]+/, '');
}

describe('rows of a body', () => {
  it.each<[text: string, rows: number]>([
    ['', 0],
    ['\n\r\n \t\r\n', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\r\nb', 2],
    ['\uFEFFa\nb\n', 2],
    ['\uFEFF', 0],
    ['\uFEFF\n', 0],
    ['a\n\n \n\tb\n', 2],
    ['\r', 0],
    ['\r\r\n', 1],
    [' \r \n', 1],
    ['a\rb\n', 1],
  ])('%j: %d', (text, expected) => expect(rows(text)).toBe(expected));

  it.each<[text: string, rows: number]>([
    ['holder\n0xab\n', 1],
    ['\n \nholder,name\r\n0xab,x\r\n', 1],
    ['0xab\n0xcd', 2],
    ['alice.eth,1\nbob.eth,2', 2],
    ['"holder","a.b"\n0xab', 1],
    ['" 0xab","n"\n0xcd', 2],
    ['"a""b"\n0xcd', 1],
    ['"",0x\n0xcd', 1],
    [',0x\n0xcd', 1],
    ['holder', 0],
    ['\uFEFFholder\nx', 1],
  ])('of CSV %j: %d', (text, expected) => expect(rows(text, true)).toBe(expected));

  it('are the same wherever the body is cut, as the rule says', () => {
    const piece = fc.constantFrom('a', '0x', '.', ',', '"', ' ', '\t', '\r', '\n', '\r\n', '\uFEFF', 'é');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.boolean(),
        fc.array(fc.nat(60), { maxLength: 6 }),
        (pieces, header, cuts) => {
          const bytes = Buffer.from(pieces.join(''));
          const at = [
            0,
            ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
            bytes.length,
          ];
          const parts = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
          expect(count(parts, header)).toBe(rowsOf(bytes, header));
        },
      ),
      { numRuns: 2_000, seed: 1 },
    );
  });
});
