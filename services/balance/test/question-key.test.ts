/** Answers are kept by a key: every parameter of every view must be in it. */
import { whenParams } from '@hindsight/chain/params.ts';
import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { writeListCursor } from '../src/domain/list-page.ts';
import { questionKey, type Asked } from '../src/domain/question.ts';
import { BALANCE_API } from '../src/service.ts';
import { account } from '../src/views/parameters.ts';
import { defineView } from '../src/views/view.ts';

const network = { name: 'eth-mainnet', chainId: 1 };
const ONE = `0x${'1'.repeat(40)}`;
const TWO = `0x${'2'.repeat(40)}`;
const cursorAt = (from: number): string =>
  writeListCursor({
    from,
    chosen: '0'.repeat(16),
    at: `0x${'0'.repeat(64)}`,
    mark: '0'.repeat(16),
    after: '',
  });
/** Two values that a parameter may have, of each kind; one with a single value may be absent. */
const PAIRS = [
  [ONE, TWO],
  ['1', '2'],
  [cursorAt(1), cursorAt(2)],
  ['storage', undefined],
] as const;

type Query = Readonly<Record<string, string | undefined>>;

/** The operations of views: about one block, kept for good. */
const VIEWS = BALANCE_API.filter(({ querystring }) => 'block_hash' in (querystring?.shape ?? {}));
const CASES = VIEWS.flatMap(({ operationId, querystring }) =>
  Object.keys(querystring!.shape)
    .filter((field) => !(field in whenParams))
    .map((field) => ({ operationId, querystring: querystring!, field })),
);

function keyOf(operationId: string, schema: z.ZodObject, query: Query): string {
  return questionKey(network, operationId, { asked: schema.parse(query) as Asked, when: 'latest' });
}

/** Two values of a parameter, and a query of all others. */
function examples(schema: z.ZodObject, field: string): readonly [Query, string, string | undefined] {
  const pairOf = (name: string): readonly [string, string | undefined] =>
    PAIRS.find(([text]) => (schema.shape[name] as z.ZodType).safeParse(text).success)!;
  const fields = Object.keys(schema.shape).filter((name) => !(name in whenParams));
  const query = Object.fromEntries(fields.map((name) => [name, pairOf(name)[0]]));
  return [query, ...pairOf(field)];
}

describe('the key of an answer', () => {
  it.each(CASES)('of $operationId differs by $field', ({ operationId, querystring, field }) => {
    const [query, one, two] = examples(querystring, field);
    const keys = [one, two].map((value) => keyOf(operationId, querystring, { ...query, [field]: value }));
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('has a new parameter of a new view without a line for it', () => {
    const base = BALANCE_API.find(({ operationId }) => operationId === 'getTokenBalance')!;
    const { operation } = defineView({
      operation: base,
      parameters: { holder: account('The wallet'), memo: account('Something new').optional() },
      record: {},
      read: async () => ({}),
    });
    const key = (query: Record<string, string>): string => keyOf('getMemo', operation.querystring, query);
    const keys = [{ holder: ONE }, { holder: ONE, memo: TWO }, { holder: ONE, memo: 'alice.eth' }].map(key);
    expect(new Set(keys).size).toBe(3);
  });

  it('tells accounts apart by their place, networks and operations by their names', () => {
    const asked = { owner: { address: ONE }, spender: { address: TWO } };
    const swapped = { owner: { address: TWO }, spender: { address: ONE } };
    const keys = [
      questionKey(network, 'a', { asked, when: 'latest' }),
      questionKey(network, 'a', { asked: swapped, when: 'latest' }),
      questionKey(network, 'b', { asked, when: 'latest' }),
      questionKey({ name: 'base-mainnet', chainId: 8453 }, 'a', { asked, when: 'latest' }),
    ];
    expect(new Set(keys).size).toBe(4);
  });

  it('leaves out how the block was named, which the hash behind it says', () => {
    const asked = { holder: { address: ONE } };
    const whens = ['latest', { height: 1 }, { date: 1 }, { hash: ONE }] as const;
    expect(new Set(whens.map((when) => questionKey(network, 'a', { asked, when }))).size).toBe(1);
  });
});
