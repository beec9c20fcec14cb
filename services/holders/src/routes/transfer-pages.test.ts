import { expect, it } from '@jest/globals';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import type { Standard } from '../domain/transfer.ts';
import type { BlockOfEvents } from '../ports.ts';
import { readRows } from './transfer-pages.ts';

/** Of one block, each of another token. */
const EVENTS = 1_000;
const BLOCK = 7;
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
const token = (value: number): string => `0x${value.toString(16).padStart(40, '0')}`;

function blockOf(number: number): BlockOfEvents {
  const events = Array.from({ length: EVENTS }, (_, logIndex) => ({
    ...{
      token: token(logIndex),
      topics: [TOPICS.transfer, word(1), word(2)],
      transaction: word(3),
      logIndex,
    },
    data: Buffer.alloc(32),
  }));
  return { number, hash: word(number), timestamp: 0, events };
}

async function page(newest: boolean, more: { limit: number; deadline?: number; after?: Place | undefined }) {
  let asked = 0;
  const deps = {
    events: { read: async () => [blockOf(BLOCK)] },
    standards: {
      of: async (tokens: Iterable<string>) => {
        const each = [...tokens].map((one) => [one, 'erc20'] as const);
        asked += each.length;
        return new Map<string, Standard>(each);
      },
    },
  };
  const question = { blocks: [{ number: BLOCK, hash: word(BLOCK), tokens: [] }], newest, hash: word(BLOCK) };
  const own = { ...question, holder: undefined, after: undefined, deadline: Infinity, ...more };
  return { ...(await readRows(deps, own, AbortSignal.timeout(60_000))), asked: () => asked };
}
type Place = Awaited<ReturnType<typeof readRows>>['last'] & object;

it('a page asks about the tokens that its rows may have, and not about all that its blocks name', async () => {
  const { rows, last, asked } = await page(true, { limit: 1 });
  expect(rows.map(({ log_index: at }) => at)).toEqual([EVENTS - 1]);
  expect(last).toEqual({ block: BLOCK, logIndex: EVENTS - 1, part: 0 });
  expect(asked()).toBeLessThanOrEqual(100);
});

it.each([true, false])(
  'a page that is late ends within its block, and the next goes on (newest: %s)',
  async (newest) => {
    const places: number[] = [];
    let after: Place | undefined;
    let pages = 0;
    do {
      const { rows, last } = await page(newest, { limit: EVENTS / 2, deadline: 0, after });
      places.push(...rows.map(({ log_index: at }) => at));
      after = last ?? undefined;
      pages += 1;
    } while (after !== undefined && places.length < EVENTS);
    const all = Array.from({ length: EVENTS }, (_, at) => at);
    expect(places).toEqual(newest ? all.toReversed() : all);
    expect(pages).toBeGreaterThan(1);
  },
);

it('a block whose events are too many for one answer is an error that names it, and the way around', async () => {
  const asked: number[][] = [];
  const read = async (blocks: readonly { readonly number: number }[]): Promise<never> => {
    asked.push(blocks.map(({ number }) => number));
    throw new NodeError('malformed', 'node 1 answered more than 9 bytes', { tooLarge: true });
  };
  const blocks = [7, 8].map((number) => ({ number, hash: word(number), tokens: [] }));
  const question = { blocks, newest: false, hash: word(8), holder: undefined, after: undefined, limit: 1 };
  const deps = { events: { read }, standards: { of: async () => new Map<string, Standard>() } };
  const { signal } = new AbortController();
  await expect(readRows(deps, { ...question, deadline: Infinity }, signal)).rejects.toMatchObject({
    code: 'node_failed',
    message:
      'The events of block 7 are more than is read of one block, 64 MiB; ask for the blocks before and after it by `from` and `to`.',
  });
  expect(asked).toEqual([[7, 8], [7]]);
});
