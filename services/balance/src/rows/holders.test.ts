/** Rows that are an address and nothing else are read from their bytes: what they mean must not differ. */
import { describe, expect, it } from '@jest/globals';
import { HOLDERS } from '@hindsight/devchain/world.ts';
import { readHolder, type BodyType, type HolderRow } from './holders.ts';

const ALICE = HOLDERS.alice;
const LOWER = ALICE.toLowerCase();
const WRONG_CASE = ALICE.replace(/[A-F]/, (letter) => letter.toLowerCase());

function read(type: BodyType, text: string): HolderRow {
  const part = Buffer.from(text);
  return readHolder(type, { line: 7, part, from: 0, end: part.length, fault: undefined });
}

describe('the holder of a row', () => {
  it.each<[BodyType, string]>([
    ['text/plain', LOWER],
    ['text/plain', ALICE],
    ['text/plain', `0x${LOWER.slice(2).toUpperCase()}`],
    ['text/csv', LOWER],
    ['text/csv', `"${LOWER}"`],
    ['text/csv', `${LOWER},7`],
    ['application/x-ndjson', `"${LOWER}"`],
    ['application/x-ndjson', `"${ALICE}"`],
    ['application/x-ndjson', `{"holder":"${LOWER}"}`],
  ])('is an address, with blanks and without: %s %s', (type, text) => {
    const expected = { line: 7, given: '', holder: { address: ALICE } };
    expect([read(type, text), read(type, ` ${text}`)]).toEqual([expected, expected]);
  });

  it.each<[BodyType, string]>([
    ['text/plain', WRONG_CASE],
    ['text/plain', `"${LOWER}"`],
    ['text/plain', LOWER.slice(0, -1)],
    ['text/plain', LOWER.replace(/.$/, 'g')],
    ['text/plain', `${LOWER}0`],
    ['text/csv', `"${WRONG_CASE}"`],
    ['application/x-ndjson', LOWER],
    ['application/x-ndjson', `"${LOWER}`],
    ['application/x-ndjson', `"${WRONG_CASE}"`],
  ])('is refused, with blanks and without: %s %s', (type, text) => {
    const { holder } = read(type, text);
    expect(holder).toMatchObject({ statusCode: 400 });
    expect(read(type, ` ${text}`).holder).toEqual(holder);
  });
});
