/** The records of a list of holders as text. */
import { expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
import type { AmountLine } from './amounts.ts';
import { CSV, NDJSON, writeHolders, type HolderFormat } from './holder-stream.ts';

const [ALICE, BOB, CAROL] = ['0xA1', '0xB0', '0xCa'] as const;
const MESSAGE = 'It said "no", twice,\nand left.';
const error = { message: MESSAGE, error: 'Bad Gateway', statusCode: 502, code: 'call_failed' };
const facts = { record: 'facts', token_type: 'erc20' };
const end = { read: 3, total_supply: '9', next: null, units: 1 };

const LINES = [
  { holder: ALICE, balance: '5' },
  { holder: BOB, balance: '0' },
  { holder: CAROL, error },
] as unknown as readonly AmountLine[];

function write(format: HolderFormat, parts: readonly (readonly AmountLine[])[]): AsyncGenerator<string> {
  const lines = (async function* () {
    yield* parts;
  })();
  return writeHolders({ facts, lines, format, end } as unknown as Parameters<typeof writeHolders>[0]);
}

const ENDED = { record: 'end', holders: 1, errors: 1, sum: '5', ...end };

it('is a JSON object a line, of each address that holds something, and of each error', async () => {
  const written = await text(write(NDJSON, [LINES.slice(0, 1), LINES.slice(1)]));
  expect(written.split('\n').map((line) => (line === '' ? '' : (JSON.parse(line) as unknown)))).toEqual([
    facts,
    { record: 'holder', holder: ALICE, balance: '5' },
    { record: 'error', holder: CAROL, error },
    ENDED,
    '',
  ]);
});

it('is CSV between two comments, with a message in quotes', async () => {
  expect(await text(write(CSV, [LINES]))).toBe(
    [
      `# ${JSON.stringify(facts)}`,
      'holder,balance,error',
      `${ALICE},5,`,
      `${CAROL},,"It said ""no"", twice,\nand left."`,
      `# ${JSON.stringify(ENDED)}`,
      '',
    ].join('\n'),
  );
});

it('is written in pieces of 64 Ki characters, each once', async () => {
  const many = Array.from({ length: 4_000 }, () => LINES[0]!);
  const pieces: string[] = [];
  for await (const piece of write(NDJSON, [many])) pieces.push(piece);
  const lengths = pieces.slice(0, -1).map(({ length }) => length);
  expect(lengths).toHaveLength(3);
  for (const length of lengths) expect(Math.trunc(length / 65_536)).toBe(1);
  expect(pieces.join('').match(/"holder"/g)).toHaveLength(2 * 4_000);
});
