/** Changes by a name with `resolve=each` cost a unit for each of its addresses, however few changes a page has. */
import { beforeAll, expect, it } from '@jest/globals';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight, type SharedHindsight } from '../support/shared-hindsight.ts';

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

let hindsight: SharedHindsight;
let key: string;
beforeAll(async () => {
  hindsight = await sharedHindsight(process.env);
  key = await makeFastKey(hindsight.dataDir);
});

// The name has two addresses, and none between them.
it.each([
  ['1', '2'],
  ['5', '2'],
  ['1000', '2'],
])('with limit=%s: %s', async (limit, units) => {
  const query = { token_address: USDC, holder: 'bob.eth', from: '17999950', to: '18000149', resolve: 'each' };
  const response = await fetch(
    `${hindsight.url}/v1/eth-mainnet/balance/changes?${new URLSearchParams({ ...query, limit }).toString()}`,
    { headers: { 'x-api-key': key } },
  );
  const { meanings } = (await response.json()) as { meanings: readonly { holder: string | null }[] };
  expect(meanings.map(({ holder }) => holder)).toEqual([expect.any(String), null, expect.any(String)]);
  expect(response.headers.get('x-units')).toBe(units);
});
