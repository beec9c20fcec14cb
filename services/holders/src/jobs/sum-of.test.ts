import { expect, it } from '@jest/globals';
import type { HttpServer } from '@hindsight/http/types.ts';
import { sumOf } from './sum-of.ts';

const TOKEN = `0x${'70'.repeat(20)}`;
const FACTS = { record: 'facts', index: { complete: true } };
const END = { record: 'end', next: null, errors: 0, sum: '5', total_supply: '7' };

async function sumIn(records: readonly object[], statusCode = 200) {
  const asked: string[] = [];
  const inject = async ({ url }: { url: string }) => {
    asked.push(url);
    return { statusCode, payload: records.map((record) => `${JSON.stringify(record)}\n`).join('') };
  };
  const { signal } = new AbortController();
  const sum = await sumOf({ inject } as unknown as HttpServer, 'eth-mainnet', {
    ...{ token: TOKEN, block: 9, signal },
  });
  return { sum, asked };
}

it('is that of a whole list of a thousand holders at most, beside the supply', async () => {
  expect(await sumIn([FACTS, END])).toEqual({
    sum: { token: TOKEN, block: 9, sum: '5', supply: '7' },
    asked: [`/v1/eth-mainnet/token/holders?token_address=${TOKEN}&block_height=9&limit=1000`],
  });
});

it.each<[string, readonly object[]]>([
  ['an index that is not complete', [{ ...FACTS, index: { complete: false } }, END]],
  ['a list without its end', [FACTS, { ...END, record: 'holder' }]],
  ['a list that goes on', [FACTS, { ...END, next: TOKEN }]],
  ['a balance that could not be read', [FACTS, { ...END, errors: 1 }]],
  ['no supply', [FACTS, { ...END, total_supply: null }]],
])('is none of %s', async (_what, records) => {
  expect((await sumIn(records)).sum).toBeNull();
});

it('is none of another answer than a list', async () => {
  expect((await sumIn([FACTS, END], 503)).sum).toBeNull();
});
